(** The clocks bound: (eps, delta)-privacy for any number of rounds, with fractional
    marginals that add up to at most A. *)
From DP Require Import Game ClockPotential.

Lemma tanh_half x : tanh (x / 2) = (1 - exp (- x)) / (1 + exp (- x)).
Proof.
  unfold tanh, sinh, cosh. pose proof (exp_pos (x / 2)) as H.
  rewrite !exp_Ropp. replace (exp x) with (exp (x / 2) * exp (x / 2))
    by (rewrite <- exp_plus; f_equal; lra).
  set (s := exp (x / 2)) in *. field. nra.
Qed.

(** * The bounds *)

Section Bounds.
Context {U : Type} (G : game U) (eta : R).
Variables D D' : list U -> U -> R.
Hypotheses (eta_pos : 0 < eta) (HD : within G 1 D) (HD' : within G 1 D').
Notation transcripts := (transcripts (cands G)).

(** The general form, for every eps: the two users may have different limits. *)
Theorem clocks_limits A A' eps T : at_most G A D T -> at_most G A' D' T ->
  excess (P G eta D) (P G eta D') (transcripts T) eps <= clocks_ahead eta (exp eps) A A' 1 1.
Proof.
  intros HA HA'. apply (potential_bound G eta eta_pos _ _ A A' D D'
    (clocks_potential eta (exp eps) eta_pos (exp_pos _)) HD HD' T HA HA').
Qed.

(** Marginals in [0,1] that add up to at most A, any number of rounds. *)
Theorem clocks A eps T : 0 <= eps -> at_most G A D T -> at_most G A D' T ->
  approximate (P G eta D) (P G eta D') (transcripts T)
    eps (tanh (A * eta / 2) * exp (- eps / (exp (A * eta) - 1))).
Proof.
  intros Heps HA HA'. apply approximate_excess.
  eapply Rle_trans; [now apply (clocks_limits A A)|]. right.
  assert (A0 : 0 <= A).
  { apply (total_before (cands G) D A T []); auto. intros h u Hu. apply (HD h u Hu). }
  unfold clocks_ahead. rewrite tanh_half, (Rmult_comm A eta).
  set (y := exp (- (eta * A))). pose proof (exp_neg eta A) as E. fold y in E.
  set (K := exp (eta * A)) in *.
  assert (HK : 0 < K) by apply exp_pos. pose proof (exp_ge eps).
  unfold clock. destruct Rle_dec as [_|n]; [|nra].
  unfold low. rewrite Rmult_1_l, Rmult_1_r.
  replace (K / (exp eps * K)) with (exp (- eps))
    by (rewrite exp_Ropp; field; split; [lra|apply Rgt_not_eq, exp_pos]).
  rewrite Rpower_exp.
  assert (Hy : 0 < y <= 1) by now apply exp_neg_le_1.
  destruct (Req_dec y 1) as [Ey|Hy1]; [rewrite Ey; unfold Rdiv; ring|].
  replace (y / (1 - y) * - eps) with (- eps / (K - 1)).
  - replace (y * (1 - y) * ((1 - y) / (1 - y * y)) * K)
      with ((y * K) * ((1 - y) / (1 + y))) by (field; nra).
    rewrite E. ring.
  - replace K with (/ y) by (rewrite <- (Rmult_1_r (/ y)), <- E; field; lra).
    field. lra.
Qed.
End Bounds.

(** When x' (or x) is not there at all: sharper bounds for adding or removing one user. *)
Section AddRemove.
Context {U : Type} (G : game U) (eta : R).
Variables D0 D : list U -> U -> R.
Hypotheses (eta_pos : 0 < eta) (D0_absent : within G 0 D0) (D_unit : within G 1 D).
Notation transcripts := (transcripts (cands G)).

Lemma absent_unit : within G 1 D0.
Proof. intros h u Hu. pose proof (D0_absent h u Hu). lra. Qed.

Lemma absent_at_most T : at_most G 0 D0 T.
Proof.
  intros h Hin. destruct (transcripts_ind (cands G) (fun _ h => total D0 h <= 0) T)
    with (h := h) as (n & _ & H); auto; cbn [total]; [lra|].
  intros _ h0 u _ H0 Hu. pose proof (D0_absent h0 u Hu). lra.
Qed.

Theorem clocks_add eps T : 0 <= eps -> at_most G 1 D T ->
  approximate (P G eta D0) (P G eta D) (transcripts T)
    eps ((1 - exp (- eta)) * exp (- (eta + eps) / (exp eta - 1))).
Proof.
  intros Heps HA. apply approximate_excess. pose proof (exp_ge eta). pose proof (exp_ge eps).
  eapply Rle_trans; [apply (clocks_limits G eta D0 D eta_pos absent_unit D_unit 0 1);
    auto using absent_at_most|]. right.
  unfold clocks_ahead, clock. rewrite Rmult_0_r, Ropp_0, exp_0, !Rmult_1_r.
  destruct Rle_dec as [_|n]; [|nra]. unfold low.
  replace (1 / (exp eps * exp eta)) with (exp (- (eta + eps)))
    by (rewrite exp_Ropp, exp_plus; field; split; apply Rgt_not_eq, exp_pos).
  rewrite Rpower_exp. pose proof (exp_neg eta 1) as E. rewrite Rmult_1_r in E.
  set (z := exp (- eta)) in *. set (K := exp eta) in *.
  assert (z <> 1) by nra. replace (z / (1 - z) * - (eta + eps)) with (- (eta + eps) / (K - 1)).
  - rewrite !Rmult_1_l. rewrite Rmult_1_r. replace ((1 - z) / (1 - z)) with 1 by (field; lra). ring.
  - assert (z <> 0) by nra.
    replace K with (/ z) by (rewrite <- (Rmult_1_r (/ z)), <- E; field; lra). field. lra.
Qed.

Theorem clocks_remove eps T : 0 <= eps <= eta -> at_most G 1 D T ->
  approximate (P G eta D) (P G eta D0) (transcripts T)
    eps (1 - exp eps + (1 - exp (- eta)) * exp (eps - (eta - eps) / (exp eta - 1))).
Proof.
  intros He HA. apply approximate_excess. pose proof (exp_ge eta). pose proof (exp_ge eps).
  pose proof (exp_le eps eta (proj2 He)).
  eapply Rle_trans; [apply (clocks_limits G eta D D0 eta_pos D_unit absent_unit 1 0);
    auto using absent_at_most|]. right.
  unfold clocks_ahead. rewrite Rmult_0_r, Ropp_0, exp_0, !Rmult_1_r, Rmult_1_l.
  pose proof (exp_neg eta 1) as E. rewrite Rmult_1_r in E.
  pose proof (exp_pos (- eta)). rewrite clock_swap by (split; nra).
  unfold clock. destruct Rle_dec as [_|n]; [|lra]. unfold low.
  replace (exp eps / exp eta) with (exp (eps - eta))
    by (unfold Rminus, Rdiv; now rewrite exp_plus, exp_Ropp).
  rewrite Rpower_exp. replace (eps - (eta - eps) / (exp eta - 1))
    with (eps + (eps - eta) / (exp eta - 1)) by (unfold Rdiv; ring).
  rewrite exp_plus. set (y := exp (- eta)) in *. set (K := exp eta) in *.
  assert (y <> 1) by nra. assert (y <> 0) by nra.
  replace (y / (1 - y) * (eps - eta)) with ((eps - eta) / (K - 1)).
  - replace (1 * (1 - y) * ((1 - y) / (1 - 1 * y))) with (1 - y) by (field; lra). lra.
  - replace K with (/ y) by (rewrite <- (Rmult_1_r (/ y)), <- E; field; lra). field. lra.
Qed.

(** Removing a user is pure: no transcript gains more than e^eta in total. *)
Theorem clocks_remove_pure eps T : eta <= eps -> at_most G 1 D T ->
  approximate (P G eta D) (P G eta D0) (transcripts T) eps 0.
Proof.
  intros He HA. apply approximate_excess. pose proof (exp_le eta eps He).
  eapply Rle_trans; [apply (clocks_limits G eta D D0 eta_pos D_unit absent_unit 1 0);
    auto using absent_at_most|]. right.
  unfold clocks_ahead, clock. rewrite Rmult_0_r, Ropp_0, exp_0, !Rmult_1_r, Rmult_1_l.
  destruct Rle_dec as [_|n]; [|lra]. unfold low, Rdiv. ring.
Qed.
End AddRemove.
