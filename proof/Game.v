(** The game that one user plays against the mechanism, and how a bound is proved for it. *)
From DP Require Export Tree.

(** [U] is the type of candidates.  After the picks [h] the candidates are [cands h], and
    [base h u] is the probability of [u] if the one user in question were not there.  Both
    are any functions of the picks: what the other users want, distances, quotas, samples,
    items pinned before the first round, candidates too close to a pick are all in them. *)
Record game (U : Type) := {
  cands : list U -> list U;
  base : list U -> U -> R;
  base_pos : forall h u, In u (cands h) -> 0 < base h u;
  base_sum : forall h, cands h <> [] -> sum (base h) (cands h) = 1 }.
Arguments cands {U}. Arguments base {U}.
Arguments base_pos {U}. Arguments base_sum {U}.

Section Mechanism.
Context {U : Type} (G : game U) (eta : R).

(** The user's marginal [D h u] is what picking [u] after [h] adds for the user, in counts.
    The exponential mechanism multiplies the weight of [u] by e^(eta D) and normalises. *)
Definition weight (D : list U -> U -> R) h u := base G h u * exp (eta * D h u).
Definition Z (D : list U -> U -> R) h := sum (weight D h) (cands G h).
Definition pick (D : list U -> U -> R) h u := weight D h u / Z D h.

(** The probability that the mechanism makes the picks [h]. *)
Definition P (D : list U -> U -> R) (h : list U) : R := likelihood (pick D) h.

(** The assumptions on a user: every marginal is in [0,m]; in [T] rounds they add up to
    at most [A]; every marginal is 0 or 1. *)
Definition within (m : R) (D : list U -> U -> R) : Prop :=
  forall h u, In u (cands G h) -> 0 <= D h u <= m.
Definition at_most (A : R) (D : list U -> U -> R) (T : nat) : Prop :=
  forall h, In h (transcripts (cands G) T) -> total D h <= A.
Definition binary (D : list U -> U -> R) : Prop :=
  forall h u, In u (cands G h) -> D h u = 0 \/ D h u = 1.

Hypothesis eta_pos : 0 < eta.

Lemma gain_bounds m x : 0 <= x <= m -> 1 <= exp (eta * x) <= exp (eta * m).
Proof. intros Hx. rewrite <- exp_0. split; apply exp_le; nra. Qed.

Lemma Z_bounds m D h : within m D -> cands G h <> [] -> 1 <= Z D h <= exp (eta * m).
Proof.
  intros HD Hh. pose proof (base_sum G h Hh) as S1. unfold Z, weight.
  split; [rewrite <- S1 | rewrite <- (Rmult_1_r (exp (eta * m))), <- S1, <- sum_scal];
    apply sum_le; intros u Hu; pose proof (base_pos G h u Hu);
    pose proof (gain_bounds m (D h u) (HD h u Hu)); nra.
Qed.

Lemma pick_pos m D h u : within m D -> In u (cands G h) -> 0 < pick D h u.
Proof.
  intros HD Hu. pose proof (base_pos G h u Hu).
  pose proof (Z_bounds m D h HD (in_not_nil _ _ Hu)).
  apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [auto|apply exp_pos].
Qed.

Lemma pick_sum m D h : within m D -> cands G h <> [] -> sum (pick D h) (cands G h) = 1.
Proof.
  intros HD Hh. pose proof (Z_bounds m D h HD Hh).
  unfold pick. rewrite sum_div. fold (Z D h). field. lra.
Qed.

(** [P D] is a probability distribution without zeros. *)
Theorem P_sum m D T : within m D -> sum (P D) (transcripts (cands G) T) = 1.
Proof. intros HD. apply likelihood_sum. intros. now apply (pick_sum m). Qed.

Theorem P_pos m D T h : within m D -> In h (transcripts (cands G) T) -> 0 < P D h.
Proof. intros HD. apply likelihood_pos. intros. now apply (pick_pos m). Qed.

(** * Potentials

    [W r r' a b] bounds the sum of [phi] over all that may follow, when x (x') may still
    get [r] (r') and the picks so far have probability [a] with x and [b] with x'.  One
    round costs nothing if at each point (a,b) there is a linear function p.a + q.b below
    the present W everywhere, and above the next W wherever a pick can lead. *)
Record potential (phi : R -> R -> R) (W : R -> R -> R -> R -> R) : Prop := {
  pot_end : forall r r' a b, 0 <= r -> 0 <= r' -> 0 < a -> 0 < b -> phi a b <= W r r' a b;
  pot_hom : forall r r' k a b, 0 <= r -> 0 <= r' -> 0 < k -> 0 < a -> 0 < b ->
    W r r' (k * a) (k * b) = k * W r r' a b;
  pot_step : forall r r' a b, 0 <= r -> 0 <= r' -> 0 < a -> 0 < b -> exists p q,
    (forall a' b', 0 < a' -> 0 < b' -> p * a' + q * b' <= W r r' a' b') /\
    (forall d d', 0 <= d <= r -> 0 <= d' <= r' -> d <= 1 -> d' <= 1 ->
       W (r - d) (r' - d') (a * exp (eta * d)) (b * exp (eta * d'))
       <= p * (a * exp (eta * d)) + q * (b * exp (eta * d'))) }.

Section Bound.
Variables (phi : R -> R -> R) (W : R -> R -> R -> R -> R) (A A' : R).
Variables D D' : list U -> U -> R.
Hypotheses (HW : potential phi W) (HD : within 1 D) (HD' : within 1 D').
Notation ahead h := (W (A - total D h) (A' - total D' h) (P D h) (P D' h)).

Lemma round h : cands G h <> [] -> 0 < P D h -> 0 < P D' h ->
  total D h <= A -> total D' h <= A' ->
  (forall u, In u (cands G h) -> total D (u :: h) <= A /\ total D' (u :: h) <= A') ->
  sum (fun u => ahead (u :: h)) (cands G h) <= ahead h.
Proof.
  intros E Ha Hb HA HA' Hnext.
  pose proof (Z_bounds 1 D h HD E) as HZ. pose proof (Z_bounds 1 D' h HD' E) as HZ'.
  set (a := P D h) in *. set (b := P D' h) in *.
  set (z := Z D h) in *. set (z' := Z D' h) in *.
  assert (0 < a / z) by (apply Rdiv_lt_0_compat; lra).
  assert (0 < b / z') by (apply Rdiv_lt_0_compat; lra).
  destruct (pot_step _ _ HW (A - total D h) (A' - total D' h) (a / z) (b / z'))
    as (p & q & Hbelow & Habove); auto; try lra.
  apply Rle_trans with
    (sum (fun u => (p * (a / z)) * weight D h u + (q * (b / z')) * weight D' h u) (cands G h)).
  - apply sum_le. intros u Hu. pose proof (base_pos G h u Hu) as HB.
    pose proof (HD h u Hu) as Hd. pose proof (HD' h u Hu) as Hd'.
    destruct (Hnext u Hu) as [Hr Hr']. cbn [total] in *.
    unfold P in *. cbn [likelihood]. fold a b. unfold pick. fold z z'.
    set (g := exp (eta * D h u)). set (g' := exp (eta * D' h u)).
    replace (a * (weight D h u / z)) with (base G h u * (a / z * g))
      by (unfold weight; fold g; field; lra).
    replace (b * (weight D' h u / z')) with (base G h u * (b / z' * g'))
      by (unfold weight; fold g'; field; lra).
    rewrite (pot_hom _ _ HW) by (try lra; apply Rmult_lt_0_compat; auto; apply exp_pos).
    pose proof (Habove (D h u) (D' h u)) as Hu'.
    replace (A - (D h u + total D h)) with (A - total D h - D h u) by ring.
    replace (A' - (D' h u + total D' h)) with (A' - total D' h - D' h u) by ring.
    unfold weight. fold g g' in Hu' |- *.
    apply Rle_trans with (base G h u * (p * (a / z * g) + q * (b / z' * g'))).
    + apply Rmult_le_compat_l; [lra|]. apply Hu'; lra.
    + right. ring.
  - rewrite sum_lin. fold (Z D h) (Z D' h) z z'.
    replace (p * (a / z) * z + q * (b / z') * z') with (p * a + q * b) by (field; lra).
    auto.
Qed.

Lemma potential_from n h : 0 < P D h -> 0 < P D' h ->
  (forall h', In h' (continuations (cands G) n h) -> total D h' <= A /\ total D' h' <= A') ->
  sum (fun h => phi (P D h) (P D' h)) (continuations (cands G) n h) <= ahead h.
Proof.
  intros Ha Hb HA.
  pose (Inv := fun n h => 0 < P D h /\ 0 < P D' h /\ forall h',
    In h' (continuations (cands G) n h) -> total D h' <= A /\ total D' h' <= A').
  assert (Hnow : forall n h, Inv n h -> total D h <= A /\ total D' h <= A').
  { intros n0 h0 (_ & _ & H). split; apply (total_before (cands G) _ _ n0);
      try apply H; intros ? u Hu; [apply (HD _ u Hu)|apply (HD' _ u Hu)]. }
  assert (Hinv : forall n h u, Inv (S n) h -> In u (cands G h) -> Inv n (u :: h)).
  { intros n0 h0 u (Ha0 & Hb0 & H) Hu. repeat split.
    1,2: unfold P; apply Rmult_lt_0_compat; auto; now apply (pick_pos 1).
    all: apply H; rewrite continuations_S by exact (in_not_nil _ _ Hu);
      apply in_flat_map; eauto. }
  apply (tree_bound (cands G) _ (fun h => ahead h) Inv); auto.
  - intros n0 h0 H. destruct (Hnow _ _ H). destruct H as (? & ? & _).
    apply (pot_end _ _ HW); lra.
  - intros n0 h0 H E. destruct (Hnow _ _ H). pose proof H as (? & ? & _).
    apply round; auto. intros u Hu. now apply (Hnow n0), Hinv.
  - repeat split; auto; now apply HA.
Qed.

Lemma potential_bound T : at_most A D T -> at_most A' D' T ->
  sum (fun h => phi (P D h) (P D' h)) (transcripts (cands G) T) <= W A A' 1 1.
Proof.
  intros HA HA'. pose proof (potential_from T []) as H.
  unfold P in H at 1 2 5 6. simpl in H. rewrite !Rminus_0_r in H.
  apply H; try lra. intros h Hh. split; auto.
Qed.
End Bound.

(** * One draw, and the two pure bounds *)

Lemma one_draw m D D' h u : within m D -> within m D' -> In u (cands G h) ->
  pick D h u <= exp (m * eta + eta * D h u) * pick D' h u.
Proof.
  intros HD HD' Hu. rewrite exp_plus, (Rmult_comm m). unfold pick, weight.
  pose proof (in_not_nil _ _ Hu) as E.
  pose proof (Z_bounds m D h HD E) as HZ. pose proof (Z_bounds m D' h HD' E) as HZ'.
  pose proof (base_pos G h u Hu) as HB. pose proof (exp_pos (eta * D h u)) as Hd.
  pose proof (gain_bounds m (D' h u) (HD' h u Hu)) as Hg.
  set (x := base G h u) in *. set (y := exp (eta * D h u)) in *.
  set (z := Z D h) in *. set (z' := Z D' h) in *. set (g := exp (eta * D' h u)) in *.
  assert (0 < x * y) by nra.
  apply Rmult_le_reg_r with (z * z'); [nra|].
  replace (x * y / z * (z * z')) with (x * y * z') by (field; lra).
  replace (exp (eta * m) * y * (x * g / z') * (z * z'))
    with (x * y * (exp (eta * m) * (g * z))) by (field; lra).
  apply Rmult_le_compat_l; [lra|]. assert (1 <= g * z) by nra. nra.
Qed.

(** In T rounds marginals of at most 1 add up to at most T. *)
Lemma at_most_rounds D T : within 1 D -> at_most (INR T) D T.
Proof.
  intros HD h Hin. destruct (transcripts_ind (cands G) (fun n h => total D h <= INR n) T)
    with (h := h) as (n & Hn & H); auto; [simpl; lra| |].
  - intros n h0 u _ H Hu. cbn [total]. rewrite S_INR. pose proof (HD h0 u Hu). lra.
  - apply le_INR in Hn. lra.
Qed.

(** Marginals in [0,m], whatever they add up to: 2.m.eta in each round.  This holds for
    local search too, where a candidate is a swap and [D h u] what x has after it. *)
Theorem basic m D D' T : 0 <= m -> within m D -> within m D' ->
  pure (P D) (P D') (transcripts (cands G) T) (INR T * (2 * m * eta)).
Proof.
  intros Hm HD HD'.
  apply (likelihood_pure (cands G)) with (cost := fun _ _ => 2 * m * eta);
    try (intros; now apply (pick_pos m)).
  - intros h u Hu. eapply Rle_trans; [now apply (one_draw m D D')|].
    apply Rmult_le_compat_r; [apply Rlt_le; now apply (pick_pos m)|].
    apply exp_le. pose proof (HD h u Hu). nra.
  - intros h Hin. rewrite total_same. apply transcripts_length, le_INR in Hin.
    apply Rmult_le_compat_r; nra.
Qed.

(** Marginals in [0,1] that add up to at most A: (T + A).eta for T rounds. *)
Theorem telescoping A D D' T : within 1 D -> within 1 D' -> at_most A D T ->
  pure (P D) (P D') (transcripts (cands G) T) ((INR T + A) * eta).
Proof.
  intros HD HD' HA.
  apply (likelihood_pure (cands G)) with (cost := fun h u => 1 * eta + eta * D h u);
    try (intros; now apply (pick_pos 1)).
  - intros h u Hu. now apply (one_draw 1 D D').
  - intros h Hin.
    pose proof (total_rounds (cands G) (1 * eta) (fun h u => eta * D h u) T h Hin
      ltac:(lra)) as H.
    assert (E : total (fun h u => eta * D h u) h = eta * total D h)
      by (clear; induction h as [|u h IH]; simpl; [|rewrite IH]; ring).
    rewrite E in H. pose proof (HA h Hin). nra.
Qed.
End Mechanism.
