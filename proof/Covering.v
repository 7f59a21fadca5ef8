(** Few rounds: an (eps, delta)-bound that depends on the number of rounds [T] and is better
    than that of Clocks.v when [T] is small.  x' has binary marginals and is covered at most
    once; x may be fractional.  Proof idea:

    While x' is not covered, P/P' grows in a round by at most 1 + c.p, where p is the
    probability of covering x' in that round; surviving uncovered costs 1 - p = e^(-y).
    So P/P' can exceed e^(A.eta) (1 + c (1 - e^(-l/T)))^T only if the y sum to more than l. *)
From DP Require Import Game ClockPotential Growth.

Section Covering.
Context {U : Type} (G : game U) (eta eps A : R).
Variables D D' : list U -> U -> R.
Hypotheses (eta_pos : 0 < eta) (HD : within G 1 D) (HD' : binary G D').
Notation c := (exp eta - 1).
Notation k := (exp eps).
Notation P := (P G eta).
Notation after := (fun n h =>
  sum (fun h => Rmax 0 (P D h - k * P D' h)) (continuations (cands G) n h)).

Lemma binary_within : within G 1 D'.
Proof. intros h u Hu. destruct (HD' h u Hu) as [-> | ->]; lra. Qed.

(** With [n] rounds to go nobody will have got too much. *)
Definition limits n h := forall h', In h' (continuations (cands G) n h) ->
  total D h' <= A /\ total D' h' <= 1.

Lemma limits_now n h : limits n h -> total D h <= A.
Proof.
  intros H. apply (total_before (cands G) D A n); [intros h0 u Hu; apply (HD h0 u Hu)|].
  intros h' Hh. now apply H.
Qed.

Lemma limits_next n h u : limits (S n) h -> In u (cands G h) -> limits n (u :: h).
Proof.
  intros H Hu h' Hh. apply H. rewrite continuations_S by exact (in_not_nil _ _ Hu).
  apply in_flat_map. eauto.
Qed.

(** What x may still multiply P by. *)
Definition togo h := exp (eta * (A - total D h)).

Lemma togo_pick h u : togo (u :: h) * exp (eta * D h u) = togo h.
Proof. unfold togo. cbn [total]. rewrite <- exp_plus. f_equal. ring. Qed.

Lemma togo_ge n h : limits n h -> 1 <= togo h.
Proof.
  intros H. pose proof (limits_now n h H). unfold togo. rewrite <- exp_0. apply exp_le. nra.
Qed.

(** The bound of Clocks.v, from a history on. *)
Lemma after_clocks n h : 0 < P D h -> 0 < P D' h -> limits n h ->
  after n h <= clock (exp (- (eta * (A - total D h)))) (exp (- (eta * (1 - total D' h))))
    (P D h * togo h) (k * P D' h * exp (eta * (1 - total D' h))).
Proof.
  intros Ha Hb Hl. apply (potential_from G eta eta_pos _ _ A 1 D D'
    (clocks_potential eta k eta_pos (exp_pos _)) HD binary_within n h Ha Hb Hl).
Qed.

Lemma after_covered n h : 0 < P D h -> 0 < P D' h -> limits n h -> total D' h = 1 ->
  P D h * togo h <= k * P D' h -> after n h <= 0.
Proof.
  intros Ha Hb Hl Ht H. eapply Rle_trans; [now apply after_clocks|]. rewrite Ht.
  replace (eta * (1 - 1)) with 0 by ring. rewrite Ropp_0, exp_0, Rmult_1_r.
  unfold clock. destruct Rle_dec; [|lra]. unfold low, Rdiv. right. ring.
Qed.

Lemma after_uncovered n h : 0 < P D h -> 0 < P D' h -> limits n h -> total D' h = 0 ->
  P D h * togo h <= exp eta * (k * P D' h) -> after n h <= c / (1 + c) * P D h.
Proof.
  intros Ha Hb Hl Ht H. eapply Rle_trans; [now apply after_clocks|]. rewrite Ht.
  rewrite Rminus_0_r, Rmult_1_r. set (r := A - total D h).
  assert (Hr : 0 <= r) by (pose proof (limits_now n h Hl); unfold r; lra).
  pose proof (exp_neg_le_1 eta eta_pos r Hr) as Hy.
  pose proof (exp_neg eta r) as Ey. pose proof (exp_neg eta 1) as Ez. rewrite Rmult_1_r in Ez.
  pose proof (exp_ge eta) as He. unfold togo in *. fold r in H |- *.
  set (y := exp (- (eta * r))) in *. set (K := P D h * exp (eta * r)) in *.
  set (L := k * P D' h * exp eta).
  assert (HL : 0 < L) by (unfold L; repeat apply Rmult_lt_0_compat; auto; apply exp_pos).
  assert (HK : 0 < K) by (unfold K; apply Rmult_lt_0_compat; auto; apply exp_pos).
  assert (HKL : K <= L) by (unfold L; lra).
  assert (EK : y * K = P D h)
    by (transitivity (P D h * (y * exp (eta * r))); [unfold K; ring|rewrite Ey; ring]).
  set (z := exp (- eta)) in *.
  assert (Hz : 0 < z < 1) by (split; [apply exp_pos|apply Rmult_lt_reg_r with (exp eta); lra]).
  replace (c / (1 + c)) with (1 - z).
  2:{ replace (exp eta) with (/ z) by (rewrite <- (Rmult_1_r (/ z)), <- Ez; field; lra).
      field. lra. }
  unfold clock. destruct Rle_dec; [|lra]. unfold low.
  assert (Hp : Rpower (K / L) (z / (1 - z)) <= 1).
  { apply Rpower_le_1; [|apply Rlt_le, Rdiv_lt_0_compat; lra].
    split; [now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with L; [lra|].
    replace (K / L * L) with K by (field; lra). lra. }
  pose proof (share_ge_0 y z Hy ltac:(lra)) as Hs.
  assert (Hs1 : (1 - z) / (1 - y * z) <= 1).
  { apply Rmult_le_reg_r with (1 - y * z); [nra|].
    replace ((1 - z) / (1 - y * z) * (1 - y * z)) with (1 - z) by (field; nra). nra. }
  replace (y * (1 - z) * ((1 - z) / (1 - y * z)) * K * Rpower (K / L) (z / (1 - z)))
    with ((1 - z) * P D h * (((1 - z) / (1 - y * z)) * Rpower (K / L) (z / (1 - z))))
    by (rewrite <- EK; ring).
  rewrite <- (Rmult_1_r ((1 - z) * P D h)) at 2. apply Rmult_le_compat_l; [nra|].
  pose proof (Rpower_pos (K / L) (z / (1 - z))). nra.
Qed.

(** The probability that the next pick covers x'. *)
Definition hit h := sum (fun u => pick G eta D h u * D' h u) (cands G h).

Lemma hit_bounds h : cands G h <> [] -> 0 <= hit h <= 1.
Proof.
  intros E. rewrite <- (pick_sum G eta eta_pos 1 D h HD E). unfold hit.
  assert (H : forall u, In u (cands G h) ->
    0 <= pick G eta D h u * D' h u <= pick G eta D h u).
  { intros u Hu. pose proof (pick_pos G eta eta_pos 1 D h u HD Hu).
    destruct (HD' h u Hu) as [-> | ->]; lra. }
  split; [apply sum_ge_0|apply sum_le]; intros u Hu; now apply H.
Qed.

Lemma Z_ratio h : cands G h <> [] -> Z G eta D' h <= (1 + c * hit h) * Z G eta D h.
Proof.
  intros E. pose proof (Z_bounds G eta eta_pos 1 D h HD E) as HZ. pose proof (exp_ge eta).
  apply Rle_trans with (sum (fun u => 1 * weight G eta D h u +
    (c * Z G eta D h) * (pick G eta D h u * D' h u)) (cands G h)).
  - apply sum_le. intros u Hu. pose proof (base_pos G h u Hu) as HB.
    pose proof (gain_bounds eta eta_pos 1 (D h u) (HD h u Hu)).
    unfold pick. replace (c * Z G eta D h * (weight G eta D h u / Z G eta D h * D' h u))
      with (c * weight G eta D h u * D' h u) by (field; lra).
    unfold weight. set (g := exp (eta * D h u)) in *.
    assert (base G h u <= base G h u * g) by nra.
    destruct (HD' h u Hu) as [-> | ->]; rewrite ?Rmult_1_r, ?Rmult_0_r, ?exp_0; nra.
  - rewrite sum_lin. fold (Z G eta D h) (hit h). lra.
Qed.

(** How a pick changes P/P' (times what x may still add). *)
Lemma ratio_pick h u : In u (cands G h) -> 0 < P D h ->
  forall q, P D h * togo h * (1 + c * hit h) <= q * P D' h ->
  P D (u :: h) * togo (u :: h) * exp (eta * D' h u) <= q * P D' (u :: h).
Proof.
  intros Hu Ha q H. pose proof (in_not_nil _ _ Hu) as E.
  change (P D (u :: h)) with (P D h * pick G eta D h u).
  change (P D' (u :: h)) with (P D' h * pick G eta D' h u).
  pose proof (Z_bounds G eta eta_pos 1 D h HD E) as HZ. pose proof (Z_ratio h E) as HR.
  pose proof (Z_bounds G eta eta_pos 1 D' h binary_within E) as HZ'.
  pose proof (base_pos G h u Hu) as HB. pose proof (exp_pos (eta * D' h u)) as Hg'.
  assert (Ht : 0 < togo (u :: h)) by apply exp_pos. rewrite <- (togo_pick h u) in H at 1.
  unfold pick, weight. set (g := exp (eta * D h u)) in *.
  set (g' := exp (eta * D' h u)) in *. set (t := togo (u :: h)) in *.
  set (z := Z G eta D h) in *. set (z' := Z G eta D' h) in *.
  assert (Hg : 0 < g) by apply exp_pos.
  assert (Hx : 0 < base G h u * g' / (z * z')) by (apply Rdiv_lt_0_compat; nra).
  apply Rle_trans with (P D h * (t * g) * z' * (base G h u * g' / (z * z'))).
  { right. field. lra. }
  apply Rle_trans with (q * P D' h * z * (base G h u * g' / (z * z'))).
  2:{ right. field. lra. }
  apply Rmult_le_compat_r; [lra|].
  apply Rle_trans with (P D h * (t * g) * ((1 + c * hit h) * z)).
  - apply Rmult_le_compat_l; [|auto]. repeat apply Rmult_le_pos; lra.
  - rewrite <- Rmult_assoc. apply Rmult_le_compat_r; lra.
Qed.

Lemma P_next m E h u : within G m E -> In u (cands G h) -> 0 < P E h -> 0 < P E (u :: h).
Proof.
  intros HE Hu Hp. unfold Game.P in *. cbn [likelihood].
  apply Rmult_lt_0_compat; [auto|now apply (pick_pos G eta eta_pos m)].
Qed.

Lemma covering_from n : forall h l, 0 <= l -> 0 < P D h -> 0 < P D' h -> limits n h ->
  total D' h = 0 -> P D h * togo h * grow c (l / INR n) ^ n <= k * P D' h ->
  after n h <= c / (1 + c) * P D h * exp (- l).
Proof.
  pose proof (exp_ge eta) as Hc0. assert (Hc : 0 < c) by lra.
  assert (Hk : 0 < c / (1 + c)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hend : forall n h l, 0 < P D h -> limits n h -> P D h * togo h <= k * P D' h ->
    Rmax 0 (P D h - k * P D' h) + 0 <= c / (1 + c) * P D h * exp (- l)).
  { intros n0 h l Ha Hl H. pose proof (togo_ge n0 h Hl). rewrite Rmax_left by nra.
    rewrite Rplus_0_r. nonneg. }
  induction n as [|n IH]; intros h l Hl Ha Hb Hlim Hj H.
  { simpl in H |- *. apply (Hend 0%nat); auto; lra. }
  pose proof (grow_pow_ge c Hc l (S n) Hl) as Hgz.
  assert (Ht : 0 < P D h * togo h) by (pose proof (togo_ge _ h Hlim); nra).
  destruct (menu_dec (cands G) h) as [E|E].
  { rewrite continuations_end by auto. apply (Hend (S n)); auto. nra. }
  rewrite continuations_S, sum_flat_map by auto.
  pose proof (hit_bounds h E) as Hp. set (p := hit h) in *.
  assert (Hr : P D h * togo h * (1 + c * p) <= exp eta * k * P D' h).
  { apply Rle_trans with (P D h * togo h * exp eta); [apply Rmult_le_compat_l; nra|].
    apply Rle_trans with (k * P D' h * exp eta); [apply Rmult_le_compat_r; nra|right; ring]. }
  (* a bound for the picks that leave x' uncovered; the others contribute 0 *)
  assert (Hstep : forall v,
    (forall u, In u (cands G h) -> D' h u = 0 ->
      after n (u :: h) <= c / (1 + c) * P D (u :: h) * v) ->
    sum (fun u => after n (u :: h)) (cands G h) <= c / (1 + c) * P D h * ((1 - p) * v)).
  { intros v Hv. apply Rle_trans with (sum (fun u =>
      (c / (1 + c) * P D h * v) * pick G eta D h u +
      (- (c / (1 + c) * P D h * v)) * (pick G eta D h u * D' h u)) (cands G h)).
    - apply sum_le. intros u Hu. destruct (HD' h u Hu) as [Ed|Ed].
      + eapply Rle_trans; [now apply Hv|].
        change (P D (u :: h)) with (P D h * pick G eta D h u). rewrite Ed. right. ring.
      + eapply Rle_trans; [apply after_covered|].
        * now apply (P_next 1).
        * apply (P_next 1); auto using binary_within.
        * now apply limits_next.
        * cbn [total]. lra.
        * pose proof (ratio_pick h u Hu Ha _ Hr) as Hq. rewrite Ed, Rmult_1_r in Hq.
          apply Rmult_le_reg_r with (exp eta); [lra|].
          eapply Rle_trans; [exact Hq|]. right. ring.
        * rewrite Ed. right. ring.
    - rewrite sum_lin, (pick_sum G eta eta_pos 1) by auto. fold (hit h) p. right. ring. }
  destruct (Rle_dec (1 - p) (exp (- l))) as [Hpl|Hpl].
  - (* the budget is used up in this round *)
    eapply Rle_trans; [apply (Hstep 1)|].
    + intros u Hu Ed. rewrite Rmult_1_r. apply after_uncovered.
      * now apply (P_next 1).
      * apply (P_next 1); auto using binary_within.
      * now apply limits_next.
      * cbn [total]. lra.
      * pose proof (ratio_pick h u Hu Ha _ Hr) as Hq.
        rewrite Ed, Rmult_0_r, exp_0, Rmult_1_r in Hq. lra.
    + apply Rmult_le_compat_l; [nra|lra].
  - (* some budget is left: l - y *)
    pose proof (exp_pos (- l)) as Hel. set (y := - ln (1 - p)).
    assert (Ey : exp (- y) = 1 - p) by (unfold y; rewrite Ropp_involutive, exp_ln; lra).
    assert (Hy : 0 <= y <= l).
    { unfold y. split.
      - destruct (Req_dec p 0) as [->|]; [rewrite Rminus_0_r, ln_1; lra|].
        rewrite <- Ropp_0. apply Ropp_le_contravar. rewrite <- ln_1. left. apply ln_increasing; lra.
      - apply Ropp_le_cancel. rewrite Ropp_involutive, <- (ln_exp (- l)). left.
        apply ln_increasing; lra. }
    eapply Rle_trans; [apply (Hstep (exp (- (l - y))))|].
    + intros u Hu Ed. apply IH; try lra.
      * now apply (P_next 1).
      * apply (P_next 1); auto using binary_within.
      * now apply limits_next.
      * cbn [total]. lra.
      * pose proof (grow_split c Hc n y l Hy) as Hs.
        set (g := grow c ((l - y) / INR n) ^ n) in *.
        assert (Hgy : grow c y = 1 + c * p) by (unfold grow; rewrite Ey; ring).
        pose proof (grow_pow_ge c Hc (l - y) n ltac:(lra)) as Hg. fold g in Hg.
        assert (Hr' : P D h * togo h * (1 + c * p) <= k / g * P D' h).
        { apply Rmult_le_reg_r with g; [lra|].
          replace (k / g * P D' h * g) with (k * P D' h) by (field; lra).
          eapply Rle_trans; [|exact H]. rewrite Rmult_assoc, <- Hgy.
          apply Rmult_le_compat_l; lra. }
        pose proof (ratio_pick h u Hu Ha _ Hr') as Hq.
        rewrite Ed, Rmult_0_r, exp_0, Rmult_1_r in Hq.
        apply Rmult_le_compat_r with (r := g) in Hq; [|lra].
        eapply Rle_trans; [exact Hq|]. right. field. lra.
    + right. rewrite <- Ey, <- exp_plus. do 2 f_equal. ring.
Qed.
End Covering.

(** x gets at most A in all (0: x is not there), x' is covered at most once. *)
Theorem covering_limits {U} (G : game U) (eta l A : R) (D D' : list U -> U -> R) (T : nat) :
  0 < eta -> 0 <= l -> within G 1 D -> binary G D' -> at_most G A D T -> at_most G 1 D' T ->
  approximate (P G eta D) (P G eta D') (transcripts (cands G) T)
    (A * eta + INR T * ln (1 + (exp eta - 1) * (1 - exp (- l / INR T))))
    ((1 - exp (- eta)) * exp (- l)).
Proof.
  intros He Hl HD HD' HA HA'. apply approximate_excess. pose proof (exp_ge eta) as Hc.
  set (c := exp eta - 1). unfold excess.
  replace (1 - exp (- eta)) with (c / (1 + c) * P G eta D []).
  2:{ unfold c, P. rewrite exp_Ropp. simpl. field. lra. }
  apply (covering_from G eta _ A D D' He HD HD' T []);
    [auto|unfold P; simpl; lra..|intros h Hh; auto|reflexivity|].
  unfold P, togo. cbn [likelihood total].
  rewrite exp_plus, Rmult_1_l, Rmult_1_r, Rminus_0_r, (Rmult_comm A). right. f_equal.
  replace (- l / INR T) with (- (l / INR T)) by (unfold Rdiv; ring).
  fold c (grow c (l / INR T)). destruct T as [|m]; [simpl; now rewrite Rmult_0_l, exp_0|].
  symmetry. apply Rpower_pow. apply Rlt_le_trans with 1; [lra|].
  apply grow_ge, share_ge; unfold c; lra.
Qed.

(** Both are covered at most once. *)
Theorem covering {U} (G : game U) (eta l : R) (D D' : list U -> U -> R) (T : nat) :
  0 < eta -> 0 <= l -> binary G D -> binary G D' -> at_most G 1 D T -> at_most G 1 D' T ->
  approximate (P G eta D) (P G eta D') (transcripts (cands G) T)
    (eta + INR T * ln (1 + (exp eta - 1) * (1 - exp (- l / INR T))))
    ((1 - exp (- eta)) * exp (- l)).
Proof.
  intros He Hl HD HD' HA HA'. rewrite <- (Rmult_1_l eta) at 3.
  apply covering_limits; auto using binary_within.
Qed.
