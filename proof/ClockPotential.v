(** The potential behind Clocks.v.

    It is E max(0, a X - b X') with X = e^(eta r - (e^(eta r) - 1) T1) and X' the
    same with r' and T2; T1 and T2 are independent exponential clocks with mean 1.  Here it
    is in closed form, so that no integral is needed: with y = e^(-eta r), z = e^(-eta r'),
    K = a/y, L = b/z it is [clock y z K L].  A pick leaves K and L as they are. *)
From DP Require Import Game.

(** The case K <= L. *)
Definition low (y z K L : R) : R :=
  y * (1 - z) * ((1 - z) / (1 - y * z)) * K * Rpower (K / L) (z / (1 - z)).
Definition clock (y z K L : R) : R :=
  if Rle_dec K L then low y z K L else y * K - z * L + low z y L K.

Section Clock.
Variables y z : R.
Hypotheses (Hy : 0 < y <= 1) (Hz : 0 < z <= 1).
Notation pw x := (Rpower x (z / (1 - z))).

Lemma share_ge_0 : 0 <= (1 - z) / (1 - y * z).
Proof.
  destruct (Req_dec z 1) as [->|Hz1]; [unfold Rdiv; lra|].
  apply Rlt_le, Rdiv_lt_0_compat; nra.
Qed.

Lemma low_ge_0 K L : 0 < K -> 0 <= low y z K L.
Proof.
  intros HK. pose proof share_ge_0. unfold low.
  nonneg.
Qed.

(** A supporting line for each rho: [low] is convex (Young's inequality). *)
Lemma low_support rho K L : 0 < rho -> 0 < K -> 0 < L ->
  y * ((1 - z) / (1 - y * z)) * pw rho * (K - z * rho * L) <= low y z K L.
Proof.
  intros Hr HK HL. unfold low.
  destruct (Req_dec z 1) as [->|Hz1]; [unfold Rdiv; lra|].
  set (e := z / (1 - z)). set (s := K / L).
  assert (Hs : 0 < s) by (apply Rdiv_lt_0_compat; auto).
  assert (He : 0 < e) by (apply Rdiv_lt_0_compat; lra).
  assert (EK : K = s * L) by (unfold s; field; lra).
  pose proof (tangent (1 + e) s rho ltac:(lra) Hs Hr) as Y.
  rewrite Rpower_plus, Rpower_1 in Y by auto.
  assert (E : Rpower rho (1 - (1 + e)) * pw rho = 1).
  { fold e. rewrite <- Rpower_plus. replace (1 - (1 + e) + e) with 0 by ring.
    now apply Rpower_O. }
  fold e in E. pose proof (Rpower_pos rho e) as Hp.
  apply Rmult_le_compat_r with (r := Rpower rho e) in Y; [|lra].
  rewrite Rmult_assoc, E, Rmult_1_r in Y.
  assert (Hyz : 0 < 1 - y * z) by nra.
  assert (H0 : 0 <= y * (1 - z) * ((1 - z) / (1 - y * z)) * L).
  { pose proof share_ge_0. nonneg. }
  apply Rmult_le_compat_l with (r := y * (1 - z) * ((1 - z) / (1 - y * z)) * L) in Y; [|auto].
  replace (y * (1 - z) * ((1 - z) / (1 - y * z)) * K * Rpower s e)
    with (y * (1 - z) * ((1 - z) / (1 - y * z)) * L * (s * Rpower s e)) by (rewrite EK; ring).
  eapply Rle_trans; [|exact Y]. right. rewrite EK. unfold e. field. lra.
Qed.
End Clock.

Section Clocks.
Variables y z : R.
Hypotheses (Hy : 0 < y <= 1) (Hz : 0 < z <= 1).
Notation pw x := (Rpower x (z / (1 - z))).
Notation share := ((1 - z) / (1 - y * z)).

(** The supporting lines of [clock] with slope rho <= 1. *)
Lemma clock_support rho K L : 0 < rho <= 1 -> 0 < K -> 0 < L ->
  y * share * pw rho * (K - z * rho * L) <= clock y z K L.
Proof.
  intros Hr HK HL. unfold clock. destruct (Rle_dec K L) as [H|H].
  { apply low_support; lra. }
  pose proof (low_support z y Hz Hy 1 L K Rlt_0_1 HL HK) as S1.
  rewrite Rpower_1_l, (Rmult_comm z y) in S1.
  pose proof (share_ge_0 y z Hy Hz) as Hs.
  destruct (Req_dec z 1) as [Ez|Hz1].
  { pose proof (low_ge_0 z y Hz Hy L K HL) as L0. rewrite Ez in *.
    destruct (Req_dec y 1) as [Ey|Hy1]; [rewrite Ey in *; unfold Rdiv; lra|].
    replace (1 * ((1 - y) / (1 - y * 1)) * 1 * (L - y * 1 * K)) with (L - y * K) in S1
      by (field; lra).
    unfold Rdiv. lra. }
  assert (Hyz : 0 < 1 - y * z) by nra.
  pose proof (low_support y z Hy Hz rho 1 1 (proj1 Hr) Rlt_0_1 Rlt_0_1) as S2.
  unfold low in S2 at 1. replace (1 / 1) with 1 in S2 by field.
  rewrite Rpower_1_l in S2.
  pose proof (Rpower_le_1 rho (z / (1 - z)) Hr ltac:(apply Rlt_le, Rdiv_lt_0_compat; lra)) as Hp.
  set (t := y * share) in *. assert (Ht : 0 <= t) by (unfold t; nra).
  (* the line with slope 1 is below [clock], and the others are below that line *)
  apply Rle_trans with (t * (K - z * L)).
  - set (x := pw rho) in *.
    assert (0 <= t * (1 - x) * (K - L)) by (nonneg).
    apply Rmult_le_compat_r with (r := L) in S2; [|lra].
    replace (y * (1 - z) * share * 1 * 1 * L) with (t * ((1 - z) * L)) in S2
      by (unfold t; ring). nra.
  - apply Rle_trans with
      (y * K - z * L + z * ((1 - y) / (1 - y * z)) * 1 * (L - y * 1 * K)); [|lra].
    right. unfold t. field. lra.
Qed.

Lemma clock_swap K L : clock y z K L = y * K - z * L + clock z y L K.
Proof.
  unfold clock. destruct (Rle_dec K L), (Rle_dec L K); try lra.
  replace L with K by lra. unfold low.
  destruct (Req_dec K 0) as [->|HK]; [ring|].
  replace (K / K) with 1 by (field; auto). rewrite !Rpower_1_l, (Rmult_comm z y).
  destruct (Req_dec z 1) as [->|Hz1].
  - rewrite Rmult_1_r. destruct (Req_dec y 1) as [->|Hy1]; [ring|]. field. lra.
  - field. nra.
Qed.

Lemma clock_ge_0 K L : 0 < K -> 0 < L -> 0 <= clock y z K L.
Proof.
  intros HK HL. destruct (Rle_dec K L) as [H|H].
  - unfold clock. destruct Rle_dec; [|lra]. now apply low_ge_0.
  - eapply Rle_trans; [|apply (clock_support 1); lra].
    pose proof (share_ge_0 y z Hy Hz). rewrite Rpower_1_l.
    nonneg. nra.
Qed.

Lemma clock_hom k K L : 0 < k -> 0 < L -> clock y z (k * K) (k * L) = k * clock y z K L.
Proof.
  intros Hk HL. unfold clock, low.
  destruct (Rle_dec (k * K) (k * L)), (Rle_dec K L); try nra.
  - replace (k * K / (k * L)) with (K / L) by (field; lra). ring.
  - replace (k * L / (k * K)) with (L / K) by (field; lra). ring.
Qed.

(** One pick, from (y,z) to (y1,z1): K and L stay.  The inequality is rational. *)
Lemma clock_pick y1 z1 K L : y <= y1 <= 1 -> z <= z1 <= 1 -> 0 < K <= L ->
  clock y1 z1 K L <= share * pw (K / L) * (y1 - y * z1) * K.
Proof.
  intros H1 H2 HK. unfold clock. destruct Rle_dec; [clear r|lra]. unfold low.
  pose proof (share_ge_0 y z Hy Hz) as Hs. pose proof (Rpower_pos (K / L) (z / (1 - z))) as Hp.
  destruct (Req_dec z1 1) as [->|Hz1].
  { replace (y1 * (1 - 1) * ((1 - 1) / (1 - y1 * 1)) * K * Rpower (K / L) (1 / (1 - 1)))
      with 0 by (unfold Rdiv; ring).
    nonneg. }
  assert (Hr : 0 < K / L <= 1).
  { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with L; [lra|].
    replace (K / L * L) with K by (field; lra). lra. }
  assert (Hyz : 0 < 1 - y * z) by nra. assert (Hyz1 : 0 < 1 - y1 * z1) by nra.
  assert (Hpw : Rpower (K / L) (z1 / (1 - z1)) <= pw (K / L)).
  { replace (z1 / (1 - z1)) with (z / (1 - z) + (z1 / (1 - z1) - z / (1 - z))) by ring.
    rewrite Rpower_plus.
    assert (He : 0 <= z1 / (1 - z1) - z / (1 - z)).
    { replace (z1 / (1 - z1) - z / (1 - z)) with ((z1 - z) * / ((1 - z1) * (1 - z)))
        by (field; lra).
      apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat. nra. }
    pose proof (Rpower_le_1 _ _ Hr He). nra. }
  assert (Hc : y1 * (1 - z1) * ((1 - z1) / (1 - y1 * z1)) <= share * (y1 - y * z1)).
  { apply Rmult_le_reg_r with ((1 - y1 * z1) * (1 - y * z)); [nra|].
    replace (y1 * (1 - z1) * ((1 - z1) / (1 - y1 * z1)) * ((1 - y1 * z1) * (1 - y * z)))
      with (y1 * (1 - z1) * (1 - z1) * (1 - y * z)) by (field; lra).
    replace (share * (y1 - y * z1) * ((1 - y1 * z1) * (1 - y * z)))
      with ((1 - z) * (y1 - y * z1) * (1 - y1 * z1)) by (field; lra).
    assert (E : (1 - z) * (y1 - y * z1) * (1 - y1 * z1)
        - y1 * (1 - z1) * (1 - z1) * (1 - y * z)
      = y1 * (1 - y1) * ((z1 - z) * (1 - z1))
        + (y1 - y) * ((1 - y1) * (z * (1 - z) + (z1 - z) * (z1 - z)) + (z1 - z) * (1 - z1)))
      by ring.
    assert (0 <= (z1 - z) * (1 - z1)) by nra.
    assert (0 <= y1 * (1 - y1) * ((z1 - z) * (1 - z1))) by (nonneg).
    assert (0 <= (1 - y1) * (z * (1 - z) + (z1 - z) * (z1 - z)))
      by (apply Rmult_le_pos; [lra|nra]).
    assert (0 <= (y1 - y) * ((1 - y1) * (z * (1 - z) + (z1 - z) * (z1 - z))
      + (z1 - z) * (1 - z1))) by (apply Rmult_le_pos; lra).
    lra. }
  assert (0 <= y1 * (1 - z1) * ((1 - z1) / (1 - y1 * z1))).
  { apply Rmult_le_pos; [nra|]. apply Rlt_le, Rdiv_lt_0_compat; lra. }
  apply Rle_trans with (share * (y1 - y * z1) * K * Rpower (K / L) (z1 / (1 - z1))).
  - apply Rmult_le_compat_r; [apply Rlt_le, Rpower_pos|]. apply Rmult_le_compat_r; lra.
  - apply Rle_trans with (share * (y1 - y * z1) * K * pw (K / L)); [|lra].
    apply Rmult_le_compat_l; [|auto]. nonneg; nra.
Qed.
End Clocks.

(** * The potential *)

Section Potential.
Variables eta k : R.
Hypotheses (eta_pos : 0 < eta) (k_pos : 0 < k).

(** [k] is e^eps. *)
Definition clocks_ahead (r r' a b : R) : R :=
  clock (exp (- (eta * r))) (exp (- (eta * r'))) (a * exp (eta * r)) (k * b * exp (eta * r')).

Lemma exp_neg_le_1 r : 0 <= r -> 0 < exp (- (eta * r)) <= 1.
Proof. intros Hr. split; [apply exp_pos|]. rewrite <- exp_0. apply exp_le. nra. Qed.

Lemma exp_neg r : exp (- (eta * r)) * exp (eta * r) = 1.
Proof. rewrite <- exp_plus, <- exp_0. f_equal. ring. Qed.

Lemma exp_neg_sub r d : exp (- (eta * (r - d))) = exp (- (eta * r)) * exp (eta * d).
Proof. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma exp_pick a r d : a * exp (eta * d) * exp (eta * (r - d)) = a * exp (eta * r).
Proof. rewrite Rmult_assoc, <- exp_plus. do 2 f_equal. ring. Qed.

Lemma exp_pick_bounds r d : 0 <= d <= r ->
  exp (- (eta * r)) <= exp (- (eta * r)) * exp (eta * d) <= 1.
Proof.
  intros Hd. rewrite <- exp_neg_sub. split; [apply exp_le; nra|].
  apply exp_neg_le_1. lra.
Qed.

(** One round, in terms of [clock]: the linear function is the tangent at (K,L). *)
Lemma clock_round y z K L : 0 < y <= 1 -> 0 < z <= 1 -> 0 < K -> 0 < L -> exists p q,
  (forall K' L', 0 < K' -> 0 < L' -> p * (y * K') + q * (z * L') <= clock y z K' L') /\
  (forall y1 z1, y <= y1 <= 1 -> z <= z1 <= 1 ->
     clock y1 z1 K L <= p * (y1 * K) + q * (z1 * L)).
Proof.
  assert (Main : forall y z K L, 0 < y <= 1 -> 0 < z <= 1 -> 0 < K -> 0 < L -> K <= L ->
    exists p q,
    (forall K' L', 0 < K' -> 0 < L' -> p * (y * K') + q * (z * L') <= clock y z K' L') /\
    (forall y1 z1, y <= y1 <= 1 -> z <= z1 <= 1 ->
       clock y1 z1 K L <= p * (y1 * K) + q * (z1 * L))).
  { clear y z K L. intros y z K L Hy Hz HK HL H.
    set (t := (1 - z) / (1 - y * z) * Rpower (K / L) (z / (1 - z))).
    exists t, (- (t * y * (K / L))). split.
    - intros K' L' HK' HL'.
      assert (Hr : 0 < K / L <= 1).
      { split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with L; [lra|].
        replace (K / L * L) with K by (field; lra). lra. }
      pose proof (clock_support y z Hy Hz (K / L) K' L' Hr HK' HL') as S. unfold t. lra.
    - intros y1 z1 H1 H2.
      eapply Rle_trans; [apply (clock_pick y z Hy Hz y1 z1 K L H1 H2); lra|].
      right. fold t. field. lra. }
  intros Hy Hz HK HL. destruct (Rle_dec K L) as [H|H]; [now apply Main|].
  destruct (Main z y L K) as (p & q & H1 & H2); auto; try lra.
  exists (1 + q), (p - 1). split.
  - intros K' L' HK' HL'. rewrite clock_swap by auto. pose proof (H1 L' K' HL' HK'). lra.
  - intros y1 z1 Hy1 Hz1. rewrite clock_swap by lra. pose proof (H2 z1 y1 Hz1 Hy1). lra.
Qed.

Lemma clocks_potential : potential eta (fun a b => Rmax 0 (a - k * b)) clocks_ahead.
Proof.
  assert (Hpos : forall a r, 0 < a -> 0 < a * exp (eta * r))
    by (intros; apply Rmult_lt_0_compat; [auto|apply exp_pos]).
  assert (Hk : forall b, 0 < b -> 0 < k * b) by (intros; now apply Rmult_lt_0_compat).
  assert (Hundo : forall a r, exp (- (eta * r)) * (a * exp (eta * r)) = a).
  { intros a r. pose proof (exp_neg r) as E.
    replace (exp (- (eta * r)) * (a * exp (eta * r)))
      with (a * (exp (- (eta * r)) * exp (eta * r))) by ring. rewrite E. ring. }
  split; unfold clocks_ahead.
  - intros r r' a b Hr Hr' Ha Hb.
    pose proof (exp_neg_le_1 r Hr). pose proof (exp_neg_le_1 r' Hr').
    apply Rmax_lub; [apply clock_ge_0; auto|]. rewrite clock_swap, !Hundo by auto.
    assert (0 <= clock (exp (- (eta * r'))) (exp (- (eta * r))) (k * b * exp (eta * r'))
      (a * exp (eta * r))) by (apply clock_ge_0; auto). lra.
  - intros r r' l a b Hr Hr' Hl Ha Hb. rewrite <- clock_hom by auto. f_equal; ring.
  - intros r r' a b Hr Hr' Ha Hb.
    destruct (clock_round (exp (- (eta * r))) (exp (- (eta * r'))) (a * exp (eta * r))
      (k * b * exp (eta * r'))) as (p & q & H1 & H2); auto using exp_neg_le_1.
    exists p, (q * k). split.
    + intros a' b' Ha' Hb'.
      pose proof (H1 _ _ (Hpos a' r Ha') (Hpos (k * b') r' (Hk b' Hb'))) as H.
      rewrite !Hundo in H. lra.
    + intros d d' Hd Hd' _ _. rewrite <- (Rmult_assoc k b), !exp_pick, !exp_neg_sub.
      eapply Rle_trans; [apply H2; now apply exp_pick_bounds|]. right.
      pose proof (exp_neg r). pose proof (exp_neg r').
      transitivity (p * (exp (- (eta * r)) * (a * exp (eta * r)) * exp (eta * d)) +
        q * (exp (- (eta * r')) * (k * b * exp (eta * r')) * exp (eta * d'))); [ring|].
      rewrite !Hundo. ring.
Qed.
End Potential.
