(** The mechanism on a data set is such a game.

    A data set is a list of users.  In each round candidate [u] of a public menu is picked
    with probability proportional to prior(u) e^(eta s), where s is the sum over the users of
    what [u] is worth to them.  Neighbours differ in one user: l ++ x :: r and l ++ x' :: r. *)
From DP Require Import Game BoundedRange.

Section Scores.
Context {U X : Type}.
Variable menu : list U -> list U.             (* public; may depend on the picks *)
Variable prior : list U -> U -> R.            (* public; may depend on the picks *)
Hypothesis prior_pos : forall h u, In u (menu h) -> 0 < prior h u.
Variable eta : R.
Hypothesis eta_pos : 0 < eta.
Variable gain : X -> list U -> U -> R.        (* what [u] is worth to a user after [h] *)

Definition score (data : list X) h u := prior h u * exp (eta * sum (fun x => gain x h u) data).
Definition prob (data : list X) h u := score data h u / sum (score data h) (menu h).
(** The probability that the mechanism on [data] makes the picks [h]. *)
Definition Pr (data : list X) (h : list U) : R := likelihood (prob data) h.

Lemma score_pos data h u : In u (menu h) -> 0 < score data h u.
Proof. intros. apply Rmult_lt_0_compat; [auto|apply exp_pos]. Qed.

Lemma norm_pos data h : menu h <> [] -> 0 < sum (score data h) (menu h).
Proof. intros. apply sum_pos; auto using score_pos. Qed.

(** The game seen from the users that two neighbouring data sets share. *)
Definition shared (data : list X) : game U.
Proof.
  refine {| cands := menu; base := prob data |}.
  - intros h u Hu. apply Rdiv_lt_0_compat; [now apply score_pos|].
    apply norm_pos. now apply in_not_nil in Hu.
  - intros h Hh. pose proof (norm_pos data h Hh). unfold prob. rewrite sum_div. field. lra.
Defined.

Lemma Pr_game l x r T h : In h (transcripts menu T) ->
  Pr (l ++ x :: r) h = P (shared (l ++ r)) eta (gain x) h.
Proof.
  intros Hin. set (G := shared (l ++ r)).
  destruct (transcripts_ind menu (fun _ h => Pr (l ++ x :: r) h = P G eta (gain x) h) T)
    with (h := h) as (n & _ & E); auto.
  intros _ h0 u _ E Hu. unfold Pr, P in *. cbn [likelihood]. rewrite E. f_equal.
  assert (Hx : forall v, score (l ++ x :: r) h0 v
    = score (l ++ r) h0 v * exp (eta * gain x h0 v)).
  { intros v. unfold score. rewrite !sum_app. simpl. rewrite Rmult_assoc, <- exp_plus.
    do 2 f_equal. ring. }
  pose proof (in_not_nil _ _ Hu) as M.
  pose proof (norm_pos (l ++ r) h0 M) as N. pose proof (norm_pos (l ++ x :: r) h0 M) as N'.
  unfold prob at 1, pick, Z, weight. simpl. unfold prob.
  set (s := sum (score (l ++ r) h0) (menu h0)) in *.
  rewrite (sum_ext (fun v => score (l ++ r) h0 v / s * exp (eta * gain x h0 v))
    (fun v => / s * score (l ++ x :: r) h0 v)) by (intros; rewrite Hx; field; lra).
  rewrite sum_scal, Hx. field. lra.
Qed.

(** So every statement about the game is one about the mechanism. *)
Lemma approximate_game l x x' r T eps delta :
  approximate (P (shared (l ++ r)) eta (gain x)) (P (shared (l ++ r)) eta (gain x'))
    (transcripts menu T) eps delta ->
  approximate (Pr (l ++ x :: r)) (Pr (l ++ x' :: r)) (transcripts menu T) eps delta.
Proof.
  assert (E : forall y (S : list U -> bool),
    sum (fun h => indic (S h) * Pr (l ++ y :: r) h) (transcripts menu T)
    = sum (fun h => indic (S h) * P (shared (l ++ r)) eta (gain y) h) (transcripts menu T)).
  { intros y S. apply sum_ext_in. intros h Hin. now rewrite (Pr_game l y r T h Hin). }
  intros H S. rewrite !E. apply H.
Qed.

Lemma pure_game l x x' r T eps :
  pure (P (shared (l ++ r)) eta (gain x)) (P (shared (l ++ r)) eta (gain x'))
    (transcripts menu T) eps ->
  pure (Pr (l ++ x :: r)) (Pr (l ++ x' :: r)) (transcripts menu T) eps.
Proof. intros H h Hin. rewrite !(Pr_game l _ r T h Hin). now apply H. Qed.

Lemma divergence_game l x x' r T alpha :
  divergence (Pr (l ++ x :: r)) (Pr (l ++ x' :: r)) (transcripts menu T) alpha
  = divergence (P (shared (l ++ r)) eta (gain x)) (P (shared (l ++ r)) eta (gain x'))
      (transcripts menu T) alpha.
Proof.
  unfold divergence, moment. do 2 f_equal. apply sum_ext_in. intros h Hin.
  now rewrite !(Pr_game l _ r T h Hin).
Qed.

(** Whatever the gains add up to.  In local search a candidate is a swap, and its gain the
    user's value after it. *)
Theorem scores_basic m l x x' r T : 0 <= m ->
  (forall x h u, In u (menu h) -> 0 <= gain x h u <= m) ->
  pure (Pr (l ++ x :: r)) (Pr (l ++ x' :: r)) (transcripts menu T) (INR T * (2 * m * eta)).
Proof. intros Hm Hgain. apply pure_game, basic; auto; intros ? ? ?; now apply Hgain. Qed.

Theorem scores_bounded_range m l x x' r T alpha : 0 < m -> 1 < alpha ->
  (forall x h u, In u (menu h) -> 0 <= gain x h u <= m) ->
  divergence (Pr (l ++ x :: r)) (Pr (l ++ x' :: r)) (transcripts menu T) alpha
  <= INR T * (alpha * (2 * m * eta) ^ 2 / 8).
Proof.
  intros Hm Ha Hgain. rewrite divergence_game.
  apply (bounded_range (shared (l ++ r)) eta m); auto; intros ? ? ?; now apply Hgain.
Qed.
End Scores.
