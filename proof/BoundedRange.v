(** Draws whose log-ratio lies in an interval of length R (bounded range): the Renyi
    divergence is at most alpha.R^2/8 each.  This holds for local search too, where a swap
    can take something away again. *)
From DP Require Import Game Filter.

(** * A variable with two values *)

Section TwoValues.
Variables a b A B : R.
Hypotheses (A_ge : 0 <= A) (B_ge : 0 <= B) (AB : A + B = 1).
Hypothesis mean : A * exp a + B * exp b = 1.

Definition mix (c d s : R) : R := c * exp (a * s) + d * exp (b * s).

Lemma exp_derivative k x : derivable_pt_lim (fun s => exp (k * s)) x (k * exp (k * x)).
Proof.
  rewrite Rmult_comm. apply (derivable_pt_lim_comp (fun s => k * s) exp).
  - pose proof (derivable_pt_lim_scal id k x 1 (derivable_pt_lim_id x)) as H.
    now rewrite Rmult_1_r in H.
  - apply derivable_pt_lim_exp.
Qed.

Lemma mix_derivative c d x : derivable_pt_lim (mix c d) x (mix (c * a) (d * b) x).
Proof.
  unfold mix. rewrite !(Rmult_assoc _ _ (exp _)).
  apply (derivable_pt_lim_plus (fun s => c * exp (a * s)) (fun s => d * exp (b * s)));
    apply (derivable_pt_lim_scal (fun s => exp (_ * s))); apply exp_derivative.
Qed.

Lemma mix_pos s : 0 < mix A B s.
Proof.
  unfold mix. pose proof (exp_pos (a * s)). pose proof (exp_pos (b * s)).
  destruct (Req_dec A 0) as [E|E]; [rewrite E in *; nra|].
  assert (0 < A * exp (a * s)) by (apply Rmult_lt_0_compat; lra). nra.
Qed.

(** ln (mix A B) has slope 0 somewhere between 0 and 1, and curvature at most (b-a)^2/4. *)
Definition slope s := mix (A * a) (B * b) s / mix A B s.

Definition curvature s := (mix (A * a * a) (B * b * b) s * mix A B s
  - mix (A * a) (B * b) s * mix (A * a) (B * b) s) / Rsqr (mix A B s).

Lemma slope_derivative x : derivable_pt_lim slope x (curvature x).
Proof.
  apply (derivable_pt_lim_div (mix (A * a) (B * b)) (mix A B)); auto using mix_derivative.
  apply Rgt_not_eq, mix_pos.
Qed.

Lemma curvature_le x : curvature x <= (b - a) ^ 2 / 4.
Proof.
  pose proof (mix_pos x) as Hg. unfold curvature.
  assert (Hs : 0 < Rsqr (mix A B x)) by (apply Rlt_0_sqr; lra).
  apply Rmult_le_reg_r with (Rsqr (mix A B x)); [auto|].
  unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
  unfold Rsqr, mix. set (u := exp (a * x)). set (v := exp (b * x)).
  assert (0 <= (b - a) ^ 2 * (A * u - B * v) ^ 2)
    by (apply Rmult_le_pos; apply pow2_ge_0). lra.
Qed.

Lemma two_values alpha : 1 < alpha ->
  mix A B alpha <= exp ((b - a) ^ 2 / 8 * (alpha * (alpha - 1))).
Proof.
  intros Ha. set (k := (b - a) ^ 2 / 8).
  pose (phi := fun s => k * (s * (s - 1)) - ln (mix A B s)).
  pose (phi1 := fun s => k * (2 * s - 1) - slope s).
  assert (D1 : forall x, derivable_pt_lim phi x (phi1 x)).
  { intros x. unfold phi, phi1.
    apply (derivable_pt_lim_minus (fun s => k * (s * (s - 1))) (fun s => ln (mix A B s))).
    - apply (derivable_pt_lim_scal (fun s => s * (s - 1))).
      replace (2 * x - 1) with (1 * (x - 1) + x * (1 - 0)) by ring.
      apply (derivable_pt_lim_mult id (fun s => s - 1)); [apply derivable_pt_lim_id|].
      apply (derivable_pt_lim_minus id (fun _ => 1));
        [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
    - unfold slope, Rdiv. rewrite Rmult_comm.
      apply (derivable_pt_lim_comp (mix A B) ln); [apply mix_derivative|].
      apply derivable_pt_lim_ln, mix_pos. }
  assert (Hmono : forall s t, s < t -> phi1 s <= phi1 t).
  { intros s t Hst.
    destruct (MVT_cor2 slope curvature s t Hst) as (c & E & _); [auto using slope_derivative|].
    pose proof (curvature_le c). unfold phi1, k in *. nra. }
  assert (P0 : phi 0 = 0).
  { unfold phi, mix. rewrite !Rmult_0_r, exp_0, !Rmult_1_r, AB, ln_1. ring. }
  assert (P1 : phi 1 = 0).
  { unfold phi, mix. rewrite !Rmult_1_r, mean, ln_1. ring. }
  destruct (MVT_cor2 phi phi1 0 1 Rlt_0_1) as (c & E & Hc); [auto|].
  destruct (MVT_cor2 phi phi1 1 alpha Ha) as (d & E' & Hd); [auto|].
  rewrite P0, P1 in E. rewrite P1 in E'.
  pose proof (Hmono c d ltac:(lra)). assert (0 <= phi alpha) by nra.
  unfold phi in *. pose proof (mix_pos alpha) as Hg.
  rewrite <- (exp_ln _ Hg). apply exp_le. lra.
Qed.
End TwoValues.

(** * One draw *)

(** s^alpha is convex: between u and v it is below its chord. *)
Lemma chord alpha u v t : 1 < alpha -> 0 < u -> u <= t <= v ->
  (v - u) * Rpower t alpha <= (v - t) * Rpower u alpha + (t - u) * Rpower v alpha.
Proof.
  intros Ha Hu Ht.
  assert (T : forall s, 0 < s -> Rpower t alpha + alpha * Rpower t (alpha - 1) * (s - t)
    <= Rpower s alpha).
  { intros s Hs. pose proof (tangent alpha s t ltac:(lra) Hs ltac:(lra)) as H.
    pose proof (Rpower_pos t (alpha - 1)) as Hp.
    apply Rmult_le_compat_r with (r := Rpower t (alpha - 1)) in H; [|lra].
    rewrite Rmult_assoc, <- Rpower_plus in H.
    replace (1 - alpha + (alpha - 1)) with 0 in H by ring.
    rewrite Rpower_O, Rmult_1_r in H by lra.
    replace (Rpower t alpha) with (t * Rpower t (alpha - 1)); [lra|].
    rewrite <- (Rpower_1 t) at 1 by lra. rewrite <- Rpower_plus. f_equal. ring. }
  pose proof (T u ltac:(lra)) as Tu. pose proof (T v ltac:(lra)) as Tv.
  apply Rmult_le_compat_l with (r := v - t) in Tu; [|lra].
  apply Rmult_le_compat_l with (r := t - u) in Tv; [|lra]. lra.
Qed.

Lemma bounded_range_draw {O} (p q : O -> R) l a b alpha : 1 < alpha -> a < b -> l <> [] ->
  (forall x, In x l -> 0 < p x) -> (forall x, In x l -> 0 < q x) ->
  sum p l = 1 -> sum q l = 1 ->
  (forall x, In x l -> exp a * q x <= p x <= exp b * q x) ->
  moment p q l alpha <= exp ((alpha - 1) * (alpha * (b - a) ^ 2 / 8)).
Proof.
  intros Ha Hab Hl Hp Hq Sp Sq Hr. pose proof (exp_increasing a b Hab) as Huv.
  set (u := exp a) in *. set (v := exp b) in *.
  assert (Hu : 0 < u) by apply exp_pos.
  assert (Hu1 : u <= 1).
  { rewrite <- Sp, <- (Rmult_1_r u), <- Sq, <- sum_scal. apply sum_le. intros x Hx. now apply Hr. }
  assert (Hv1 : 1 <= v).
  { rewrite <- Sp, <- (Rmult_1_r v), <- Sq, <- sum_scal. apply sum_le. intros x Hx. now apply Hr. }
  assert (Hm : (v - u) * moment p q l alpha
    <= (v - 1) * Rpower u alpha + (1 - u) * Rpower v alpha).
  { replace (_ + _) with ((v * Rpower u alpha - u * Rpower v alpha) * sum q l
      + (Rpower v alpha - Rpower u alpha) * sum p l) by (rewrite Sp, Sq; ring).
    unfold moment. rewrite <- sum_scal, <- sum_lin. apply sum_le. intros x Hx.
    pose proof (Hp x Hx) as Hpx. pose proof (Hq x Hx) as Hqx. destruct (Hr x Hx) as [H1 H2].
    set (t := p x / q x). assert (Et : p x = t * q x) by (unfold t; field; lra).
    assert (Ht : u <= t <= v).
    { rewrite Et in H1, H2. split; apply Rmult_le_reg_r with (q x); auto. }
    pose proof (chord alpha u v t Ha Hu Ht) as C.
    apply Rmult_le_compat_r with (r := q x) in C; [|lra].
    replace (Rpower (p x) alpha * Rpower (q x) (1 - alpha)) with (Rpower t alpha * q x).
    - rewrite Et. lra.
    - rewrite Et, <- Rpower_mult_distr by lra. rewrite Rmult_assoc, <- Rpower_plus.
      replace (alpha + (1 - alpha)) with 1 by ring. now rewrite Rpower_1. }
  pose proof (two_values a b ((v - 1) / (v - u)) ((1 - u) / (v - u))) as H.
  eapply Rle_trans; [|eapply Rle_trans; [apply (H) with (alpha := alpha)|]]; auto.
  - unfold mix. apply Rmult_le_reg_l with (v - u); [lra|].
    replace ((v - u) * ((v - 1) / (v - u) * exp (a * alpha) + (1 - u) / (v - u) * exp (b * alpha)))
      with ((v - 1) * exp (a * alpha) + (1 - u) * exp (b * alpha)) by (field; lra).
    rewrite (Rmult_comm a), (Rmult_comm b), <- !Rpower_exp. exact Hm.
  - apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra].
  - apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra].
  - field. lra.
  - fold u v. field. lra.
  - apply exp_le. right. field.
Qed.

(** Any release that is pure in both directions, for the second account of a ledger. *)
Theorem pure_renyi {O} (p q : O -> R) l eps alpha : 1 < alpha -> 0 < eps -> l <> [] ->
  (forall x, In x l -> 0 < p x) -> (forall x, In x l -> 0 < q x) ->
  sum p l = 1 -> sum q l = 1 -> pure p q l eps -> pure q p l eps ->
  divergence p q l alpha <= alpha * eps ^ 2 / 2.
Proof.
  intros Ha He Hl Hp Hq Sp Sq Hpq Hqp. apply divergence_moment; auto.
  replace (alpha * eps ^ 2 / 2) with (alpha * (eps - - eps) ^ 2 / 8) by field.
  apply bounded_range_draw; auto; try lra. intros x Hx. split; [|now apply Hpq].
  rewrite exp_Ropp. pose proof (exp_pos eps). apply Rmult_le_reg_l with (exp eps); [auto|].
  replace (exp eps * (/ exp eps * q x)) with (q x) by (field; lra). now apply Hqp.
Qed.

(** * T draws *)

Section Rounds.
Context {U : Type} (G : game U) (eta m : R).
Variables D D' : list U -> U -> R.
Hypotheses (eta_pos : 0 < eta) (m_pos : 0 < m) (HD : within G m D) (HD' : within G m D').

Lemma bounded_range_round alpha h : 1 < alpha -> cands G h <> [] ->
  moment (pick G eta D h) (pick G eta D' h) (cands G h) alpha
  <= exp ((alpha - 1) * (alpha * (2 * m * eta) ^ 2 / 8)).
Proof.
  intros Ha E. pose proof (Z_bounds G eta eta_pos m D h HD E) as HZ.
  pose proof (Z_bounds G eta eta_pos m D' h HD' E) as HZ'.
  set (z := ln (Z G eta D' h / Z G eta D h)).
  assert (Ez : exp z * Z G eta D h = Z G eta D' h).
  { unfold z. rewrite exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra. }
  replace (2 * m * eta) with ((z + m * eta) - (z - m * eta)) by ring.
  assert (0 < m * eta) by nra.
  apply bounded_range_draw; auto; try lra.
  1,2: intros u Hu; now apply (pick_pos G eta eta_pos m).
  1,2: now apply (pick_sum G eta eta_pos m).
  intros u Hu. pose proof (base_pos G h u Hu) as HB.
  pose proof (HD h u Hu) as Hd. pose proof (HD' h u Hu) as Hd'.
  assert (Ep : pick G eta D h u = exp (z + eta * (D h u - D' h u)) * pick G eta D' h u).
  { unfold pick, weight. rewrite exp_plus, <- Ez.
    replace (eta * D h u) with (eta * (D h u - D' h u) + eta * D' h u) by ring.
    rewrite exp_plus. pose proof (exp_pos z). field. lra. }
  rewrite Ep. pose proof (pick_pos G eta eta_pos m D' h u HD' Hu).
  split; apply Rmult_le_compat_r; try lra; apply exp_le; nra.
Qed.

Theorem bounded_range alpha T : 1 < alpha ->
  divergence (P G eta D) (P G eta D') (transcripts (cands G) T) alpha
  <= INR T * (alpha * (2 * m * eta) ^ 2 / 8).
Proof.
  intros Ha. set (rho := alpha * (2 * m * eta) ^ 2 / 8).
  assert (Hrho : 0 <= rho) by (pose proof (pow2_ge_0 (2 * m * eta)); unfold rho; nra).
  apply (filter_order (cands G) (pick G eta D) (pick G eta D')) with (rho := fun _ => rho); auto.
  1,2: intros; now apply (pick_pos G eta eta_pos m).
  - intros h E _. apply divergence_moment; auto. now apply bounded_range_round.
  - apply Rmult_le_pos; [apply pos_INR|auto].
  - intros h Hh _. unfold room_in_order, spent. rewrite total_same.
    pose proof (le_INR (S (length h)) T Hh) as HT. rewrite S_INR in HT. nra.
Qed.
End Rounds.
