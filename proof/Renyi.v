(** The Renyi divergence for any number of rounds: marginals in [0,1] that add up to at
    most A. *)
From DP Require Import Game.

(** Powers with exponent in [0,1] are concave. *)
Lemma power_tangent x y m : 0 <= x <= 1 -> 0 < y -> 0 < m ->
  Rpower y x <= Rpower m x * (1 + x * (y / m - 1)).
Proof.
  intros Hx Hy Hm. assert (Hq : 0 < y / m) by (apply Rdiv_lt_0_compat; auto).
  replace (Rpower y x) with (Rpower m x * Rpower (y / m) x)
    by (rewrite Rpower_mult_distr by auto; f_equal; field; lra).
  apply Rmult_le_compat_l; [apply Rlt_le, Rpower_pos|].
  unfold Rpower. rewrite <- (exp_ln _ Hq) at 2. set (v := ln (y / m)).
  pose proof (exp_ge (v - x * v)) as H1. pose proof (exp_ge (- (x * v))) as H2.
  pose proof (exp_pos (x * v)) as He.
  replace (exp v) with (exp (x * v) * exp (v - x * v))
    by (rewrite <- exp_plus; f_equal; ring).
  assert (E : exp (x * v) * exp (- (x * v)) = 1)
    by (rewrite <- exp_plus, <- exp_0; f_equal; ring).
  set (e := exp (x * v)) in *.
  apply Rmult_le_compat_l with (r := e) in H1; [|lra].
  apply Rmult_le_compat_l with (r := e) in H2; [|lra].
  apply Rmult_le_compat_l with (r := x) in H1; [|lra].
  apply Rmult_le_compat_l with (r := 1 - x) in H2; [|lra].
  rewrite E in H2. lra.
Qed.

Lemma power_concave k x y z m : 0 <= k -> 0 <= x <= 1 -> 0 < y -> 0 < z -> 0 < m ->
  y + k * z = (1 + k) * m ->
  Rpower y x + k * Rpower z x <= (1 + k) * Rpower m x.
Proof.
  intros Hk Hx Hy Hz Hm E. pose proof (power_tangent x y m Hx Hy Hm) as H1.
  pose proof (power_tangent x z m Hx Hz Hm) as H2.
  apply Rmult_le_compat_l with (r := k) in H2; [|auto].
  replace ((1 + k) * Rpower m x) with
    (Rpower m x * (1 + x * (y / m - 1)) + k * (Rpower m x * (1 + x * (z / m - 1)))); [lra|].
  replace y with ((1 + k) * m - k * z) by lra. field. lra.
Qed.

Section Renyi.
Variables eta alpha : R.
Hypotheses (eta_pos : 0 < eta) (alpha_gt : 1 < alpha).
Notation c := (exp eta - 1).
Hypothesis small : (alpha - 1) * c < 1.

(** What x (x') may still multiply the moment by, for each unit that is left to it. *)
Definition F := exp (alpha * eta) / (1 + alpha * c).
Definition F' := exp (- (alpha - 1) * eta) / (1 - (alpha - 1) * c).
Definition f a b := Rpower a alpha * Rpower b (1 - alpha).

Lemma denominators : 0 < 1 + alpha * c /\ 0 < 1 - (alpha - 1) * c.
Proof. pose proof (exp_ge eta). split; nra. Qed.

Lemma F_ge : 1 <= F.
Proof.
  destruct denominators as [Hd _]. unfold F. apply Rmult_le_reg_r with (1 + alpha * c); [auto|].
  replace (exp (alpha * eta) / (1 + alpha * c) * (1 + alpha * c))
    with (exp (alpha * eta)) by (field; lra).
  pose proof (tangent alpha (exp eta) 1 ltac:(lra) (exp_pos _) Rlt_0_1) as H1.
  rewrite Rpower_exp, Rpower_1_l in H1. lra.
Qed.

Lemma F'_ge : 1 <= F'.
Proof.
  destruct denominators as [_ Hd]. unfold F'.
  apply Rmult_le_reg_r with (1 - (alpha - 1) * c); [auto|].
  replace (exp (- (alpha - 1) * eta) / (1 - (alpha - 1) * c) * (1 - (alpha - 1) * c))
    with (exp ((1 - alpha) * eta)).
  - pose proof (tangent alpha 1 (exp eta) ltac:(lra) Rlt_0_1 (exp_pos _)) as H1.
    rewrite Rpower_exp, Rpower_1_l in H1. lra.
  - replace (1 - alpha) with (- (alpha - 1)) by ring. field. lra.
Qed.

Lemma f_pos a b : 0 < f a b.
Proof. apply Rmult_lt_0_compat; apply Rpower_pos. Qed.

Lemma f_mult a b k l : 0 < a -> 0 < b -> 0 < k -> 0 < l -> f (a * k) (b * l) = f a b * f k l.
Proof. intros. unfold f. rewrite <- !Rpower_mult_distr by auto. ring. Qed.

Lemma f_diag k : 0 < k -> f k k = k.
Proof.
  intros Hk. unfold f. rewrite <- Rpower_plus.
  replace (alpha + (1 - alpha)) with 1 by ring. now rewrite Rpower_1.
Qed.

(** One pick: what it multiplies the moment by is paid from F^d and F'^d'. *)
Lemma one_pick d d' : 0 <= d <= 1 -> 0 <= d' <= 1 ->
  f (exp (eta * d)) (exp (eta * d'))
  <= (alpha * exp (eta * d) - (alpha - 1) * exp (eta * d')) * (Rpower F d * Rpower F' d').
Proof.
  intros Hd Hd'. pose proof (exp_ge eta) as Hc.
  pose proof (gain_bounds eta eta_pos 1 d Hd) as Hg.
  pose proof (gain_bounds eta eta_pos 1 d' Hd') as Hg'. rewrite Rmult_1_r in Hg, Hg'.
  destruct denominators as [H1 H2].
  pose proof (power_concave (alpha - 1) d _ 1 (exp eta) ltac:(lra) Hd H1 Rlt_0_1
    (exp_pos _) ltac:(ring)) as X.
  pose proof (power_concave (alpha - 1) d' _ (exp eta) 1 ltac:(lra) Hd' H2 (exp_pos _)
    Rlt_0_1 ltac:(ring)) as Y.
  rewrite Rpower_exp, Rpower_1_l, (Rmult_comm d) in X.
  rewrite Rpower_exp, Rpower_1_l, (Rmult_comm d') in Y.
  pose proof (Rpower_div (exp (alpha * eta)) _ d (exp_pos _) H1) as EF.
  pose proof (Rpower_div (exp (- (alpha - 1) * eta)) _ d' (exp_pos _) H2) as ER.
  unfold f. rewrite !Rpower_exp.
  replace (alpha * (eta * d)) with (d * (alpha * eta)) by ring.
  replace ((1 - alpha) * (eta * d')) with (d' * (- (alpha - 1) * eta)) by ring.
  rewrite <- !(Rpower_exp (_ * eta)), <- EF, <- ER. fold F F'.
  pose proof (Rpower_pos F d) as HF. pose proof (Rpower_pos F' d') as HR.
  pose proof (Rpower_pos (1 + alpha * c) d) as Hx.
  pose proof (Rpower_pos (1 - (alpha - 1) * c) d') as Hy.
  set (x := Rpower (1 + alpha * c) d) in *. set (y := Rpower (1 - (alpha - 1) * c) d') in *.
  set (g := exp (eta * d)) in *. set (g' := exp (eta * d')) in *.
  replace (Rpower F d * x * (Rpower F' d' * y))
    with (x * y * (Rpower F d * Rpower F' d')) by ring.
  apply Rmult_le_compat_r; [apply Rlt_le; now apply Rmult_lt_0_compat|].
  apply Rle_trans with ((alpha * g - (alpha - 1)) * (alpha - (alpha - 1) * g')).
  - apply Rmult_le_compat; lra.
  - assert (0 <= (alpha * (g - 1)) * ((alpha - 1) * (g' - 1)))
      by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Lemma renyi_potential :
  potential eta f (fun r r' a b => Rpower F r * Rpower F' r' * f a b).
Proof.
  split.
  - intros r r' a b Hr Hr' Ha Hb. pose proof (f_pos a b).
    pose proof (Rpower_ge_1 F r F_ge Hr). pose proof (Rpower_ge_1 F' r' F'_ge Hr').
    assert (1 <= Rpower F r * Rpower F' r') by nra. nra.
  - intros r r' k a b _ _ Hk Ha Hb.
    rewrite (Rmult_comm k a), (Rmult_comm k b), f_mult, f_diag by auto. ring.
  - intros r r' a b Hr Hr' Ha Hb. pose proof (f_pos a b) as Hf.
    set (V := Rpower F r * Rpower F' r').
    assert (HV : 0 < V) by (apply Rmult_lt_0_compat; apply Rpower_pos).
    exists (V * f a b * alpha / a), (V * f a b * (1 - alpha) / b). split.
    + intros a' b' Ha' Hb'.
      assert (Hs : 0 < a' / a) by now apply Rdiv_lt_0_compat.
      assert (Ht : 0 < b' / b) by now apply Rdiv_lt_0_compat.
      pose proof (tangent alpha (a' / a) (b' / b) ltac:(lra) Hs Ht) as Htan.
      replace (f a' b') with (f a b * f (a' / a) (b' / b))
        by (rewrite <- f_mult by auto; f_equal; field; lra).
      apply Rle_trans with (V * f a b * (alpha * (a' / a) - (alpha - 1) * (b' / b))).
      * right. field. lra.
      * rewrite <- (Rmult_assoc V). apply Rmult_le_compat_l; [nra|exact Htan].
    + intros d d' Hd Hd' Hd1 Hd1'. rewrite f_mult by (auto; apply exp_pos).
      pose proof (one_pick d d' ltac:(lra) ltac:(lra)) as H1.
      assert (EV : Rpower F (r - d) * Rpower F' (r' - d') * (Rpower F d * Rpower F' d') = V).
      { unfold V. replace r with (r - d + d) at 2 by ring.
        replace r' with (r' - d' + d') at 2 by ring. rewrite !Rpower_plus. ring. }
      set (v := Rpower F (r - d) * Rpower F' (r' - d')) in *.
      assert (Hv : 0 < v) by (apply Rmult_lt_0_compat; apply Rpower_pos).
      apply Rmult_le_compat_l with (r := v * f a b) in H1; [|nra].
      rewrite <- (Rmult_assoc v). eapply Rle_trans; [exact H1|]. right.
      rewrite <- EV. field. lra.
Qed.
End Renyi.

Lemma F_F' eta alpha : 0 < eta -> 1 < alpha -> (alpha - 1) * (exp eta - 1) < 1 ->
  let w := 1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2 in
  0 < w /\ F eta alpha * F' eta alpha = / w.
Proof.
  intros He Ha Hs w. subst w. destruct (denominators eta alpha He Ha Hs) as [H1 H2].
  unfold F, F', sinh. rewrite exp_Ropp.
  replace (exp (alpha * eta)) with (exp ((alpha - 1) * eta) * exp eta)
    by (rewrite <- exp_plus; f_equal; ring).
  replace (- (alpha - 1) * eta) with (- ((alpha - 1) * eta)) by ring. rewrite exp_Ropp.
  replace (exp eta) with (exp (eta / 2) * exp (eta / 2)) in *
    by (rewrite <- exp_plus; f_equal; lra).
  pose proof (exp_pos (eta / 2)). pose proof (exp_pos ((alpha - 1) * eta)).
  set (s := exp (eta / 2)) in *. set (t := exp ((alpha - 1) * eta)) in *.
  assert (E : (1 + alpha * (s * s - 1)) * (1 - (alpha - 1) * (s * s - 1)) =
    s * s * (1 - 4 * alpha * (alpha - 1) * ((s - / s) / 2) ^ 2)) by (field; lra).
  assert (0 < 1 - 4 * alpha * (alpha - 1) * ((s - / s) / 2) ^ 2).
  { apply Rmult_lt_reg_l with (s * s); [nra|]. rewrite <- E, Rmult_0_r.
    now apply Rmult_lt_0_compat. }
  split; [auto|].
  transitivity (s * s / ((1 + alpha * (s * s - 1)) * (1 - (alpha - 1) * (s * s - 1)))).
  - field. repeat split; lra.
  - rewrite E. set (w := 1 - 4 * alpha * (alpha - 1) * ((s - / s) / 2) ^ 2) in *.
    field. lra.
Qed.

Lemma renyi_ge_0 eta alpha A :
  0 < eta -> 1 < alpha -> (alpha - 1) * (exp eta - 1) < 1 -> 0 <= A ->
  0 <= - (A / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2).
Proof.
  intros He Ha Hs HA. destruct (F_F' eta alpha He Ha Hs) as [Hw _].
  set (w := 1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2) in *.
  assert (Hw1 : w <= 1).
  { pose proof (pow2_ge_0 (sinh (eta / 2))).
    assert (0 <= 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2) by nonneg. unfold w. lra. }
  assert (Hl : ln w <= 0).
  { destruct Hw1 as [Hlt| ->]; [|rewrite ln_1; lra].
    rewrite <- ln_1. left. now apply ln_increasing. }
  assert (0 <= A / (alpha - 1))
    by (apply Rmult_le_pos; [auto|apply Rlt_le, Rinv_0_lt_compat; lra]). nra.
Qed.

Section Bounds.
Context {U : Type} (G : game U) (eta alpha : R).
Variables D D' : list U -> U -> R.
Hypotheses (eta_pos : 0 < eta) (alpha_gt : 1 < alpha).
Hypothesis small : (alpha - 1) * (exp eta - 1) < 1.
Hypotheses (HD : within G 1 D) (HD' : within G 1 D').
Notation transcripts := (transcripts (cands G)).

(** Different limits for the two users; limit 0 is a user who is not there at all. *)
Theorem renyi_limits A A' T : at_most G A D T -> at_most G A' D' T ->
  moment (P G eta D) (P G eta D') (transcripts T) alpha
  <= Rpower (exp (alpha * eta) / (1 + alpha * (exp eta - 1))) A *
     Rpower (exp (- (alpha - 1) * eta) / (1 - (alpha - 1) * (exp eta - 1))) A'.
Proof.
  intros HA HA'.
  pose proof (potential_bound G eta eta_pos _ _ A A' D D'
    (renyi_potential eta alpha eta_pos alpha_gt small) HD HD' T HA HA') as H.
  cbv beta in H. rewrite f_diag, Rmult_1_r in H by lra. exact H.
Qed.

(** The divergence, for the same limit on both. *)
Theorem renyi A T : at_most G A D T -> at_most G A D' T ->
  divergence (P G eta D) (P G eta D') (transcripts T) alpha
  <= - (A / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2).
Proof.
  intros HA HA'. pose proof (renyi_limits A A T HA HA') as H.
  destruct (denominators eta alpha eta_pos alpha_gt small) as [H1 H2].
  pose proof (F_ge eta alpha eta_pos alpha_gt small) as HF.
  pose proof (F'_ge eta alpha eta_pos alpha_gt small) as HF'.
  fold (F eta alpha) (F' eta alpha) in H. rewrite Rpower_mult_distr in H by lra.
  destruct (F_F' eta alpha eta_pos alpha_gt small) as [Hw E]. rewrite E in H. clear E.
  set (w := 1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2) in *.
  apply divergence_moment; [auto|apply transcripts_not_nil|].
  replace ((alpha - 1) * (- (A / (alpha - 1)) * ln w)) with (A * - ln w) by (field; lra).
  rewrite <- ln_Rinv by auto. exact H.
Qed.
End Bounds.
