(** The mechanism on a data set is such a game: coverage, coverage with a cap, best match.

    A data set is a list of users.  In each round candidate [u] of a public menu is picked
    with probability proportional to prior(u) e^(eta s), where s is the sum over the users of
    what [u] adds for them.  Neighbours differ in one user: l ++ x :: r and l ++ x' :: r. *)
From DP Require Import Game Clocks Renyi Covering BoundedRange.

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

(** * Picks are only added *)

(** What a user has from the picks [h], in counts: at most A, and one more pick adds
    between 0 and 1. *)
Record valuation {U X} (value : X -> list U -> R) (A : R) : Prop := {
  value_bounds : forall x h, 0 <= value x h <= A;
  value_grows : forall x h u, 0 <= value x (u :: h) - value x h <= 1 }.

(** Served by an item, or not. *)
Definition coverage {U X} (likes : X -> U -> bool) (x : X) (h : list U) : R :=
  indic (existsb (likes x) h).
(** The number of items that serve x, up to [cap]. *)
Definition capped {U X} (likes : X -> U -> bool) (cap : nat) (x : X) (h : list U) : R :=
  INR (Nat.min (length (filter (likes x) h)) cap).
(** The similarity of the most similar item. *)
Fixpoint best_match {U X} (similarity : X -> U -> R) (x : X) (h : list U) : R :=
  match h with [] => 0 | u :: h => Rmax (similarity x u) (best_match similarity x h) end.

Lemma coverage_valuation {U X} (likes : X -> U -> bool) : valuation (coverage likes) 1.
Proof.
  split; unfold coverage; intros; cbn [existsb];
    destruct (existsb (likes x) h); try destruct (likes x u); simpl; lra.
Qed.

Lemma capped_valuation {U X} (likes : X -> U -> bool) cap :
  valuation (capped likes cap) (INR cap).
Proof.
  split; unfold capped; intros.
  - split; [apply pos_INR|]. apply le_INR, PeanoNat.Nat.le_min_r.
  - cbn [filter]. set (n := length (filter (likes x) h)). destruct (likes x u); cbn [length].
    + fold n. destruct (PeanoNat.Nat.le_gt_cases cap n) as [H|H].
      * rewrite !PeanoNat.Nat.min_r by auto. lra.
      * rewrite !PeanoNat.Nat.min_l by (exact H || now apply PeanoNat.Nat.lt_le_incl).
        rewrite S_INR. lra.
    + fold n. lra.
Qed.

Lemma best_match_valuation {U X} (similarity : X -> U -> R) :
  (forall x u, 0 <= similarity x u <= 1) -> valuation (best_match similarity) 1.
Proof.
  intros Hs.
  assert (B : forall x h, 0 <= best_match similarity x h <= 1).
  { intros x. induction h as [|u h IH]; simpl; [lra|]. pose proof (Hs x u).
    unfold Rmax. destruct Rle_dec; lra. }
  split; [auto|]. intros x h u. simpl. pose proof (B x h). pose proof (Hs x u).
  unfold Rmax. destruct Rle_dec; lra.
Qed.

Section Selection.
Context {U X : Type}.
Variables (value : X -> list U -> R) (most : R).
Hypothesis Hvalue : valuation value most.
Variable menu : list U -> list U.
Variable prior : list U -> U -> R.
Hypothesis prior_pos : forall h u, In u (menu h) -> 0 < prior h u.
Variable eta : R.
Hypothesis eta_pos : 0 < eta.

(** Items pinned before the first round: they are not picked, but count as picks. *)
Variable start : list U.
Definition marginal (x : X) (h : list U) (u : U) : R :=
  value x (u :: h ++ start) - value x (h ++ start).
Definition selection (data : list X) : list U -> R := Pr menu prior eta marginal data.

Lemma marginal_total x h : total (marginal x) h = value x (h ++ start) - value x start.
Proof.
  induction h as [|u h IH]; cbn [total app]; [ring|]. rewrite IH. unfold marginal. ring.
Qed.

Lemma marginal_within (G : game U) x : within G 1 (marginal x).
Proof. intros h u _. apply (value_grows _ _ Hvalue). Qed.

(** The limit A: the most that a user's value can be, or the number of rounds. *)
Variables (T : nat) (A : R).
Hypothesis HA : most <= A \/ INR T <= A.

Lemma marginal_at_most (G : game U) x : at_most G A (marginal x) T.
Proof.
  intros h Hin. destruct HA as [H|H].
  - rewrite marginal_total.
    pose proof (value_bounds _ _ Hvalue x (h ++ start)).
    pose proof (value_bounds _ _ Hvalue x start). lra.
  - pose proof (at_most_rounds G _ T (marginal_within G x) h Hin). lra.
Qed.

Variables (l r : list X) (x x' : X).
Notation M := (selection (l ++ x :: r)).
Notation M' := (selection (l ++ x' :: r)).
Notation outcomes := (transcripts menu T).

Theorem selection_telescoping : pure M M' outcomes ((INR T + A) * eta).
Proof.
  apply (pure_game menu prior prior_pos), telescoping; auto using marginal_within, marginal_at_most.
Qed.

Theorem selection_clocks eps : 0 <= eps ->
  approximate M M' outcomes eps (tanh (A * eta / 2) * exp (- eps / (exp (A * eta) - 1))).
Proof.
  intros Heps. apply (approximate_game menu prior prior_pos).
  apply (clocks (shared menu prior prior_pos eta marginal (l ++ r)) eta);
    auto using marginal_within, marginal_at_most.
Qed.

Theorem selection_renyi alpha : 1 < alpha -> (alpha - 1) * (exp eta - 1) < 1 ->
  divergence M M' outcomes alpha
  <= - (A / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2).
Proof.
  intros Ha Hs. unfold selection. rewrite (divergence_game menu prior prior_pos).
  apply (renyi (shared menu prior prior_pos eta marginal (l ++ r)));
    auto using marginal_within, marginal_at_most.
Qed.
End Selection.

(** * The bounds by name, with pinned items and any public menu *)

Section Named.
Context {U X : Type}.
Variable likes : X -> U -> bool.
Variable similarity : X -> U -> R.
Hypothesis similarity_unit : forall x u, 0 <= similarity x u <= 1.
Variable menu : list U -> list U.
Variable prior : list U -> U -> R.
Hypothesis prior_pos : forall h u, In u (menu h) -> 0 < prior h u.
Variable eta : R.
Hypothesis eta_pos : 0 < eta.
Variables (start : list U) (l r : list X) (x x' : X) (T : nat).
Notation on value data := (selection value menu prior eta start data).
Notation outcomes := (transcripts menu T).

Theorem coverage_clocks eps : 0 <= eps ->
  approximate (on (coverage likes) (l ++ x :: r)) (on (coverage likes) (l ++ x' :: r)) outcomes
    eps (tanh (eta / 2) * exp (- eps / (exp eta - 1))).
Proof.
  intros Heps. pose proof (selection_clocks _ 1 (coverage_valuation likes) menu prior prior_pos
    eta eta_pos start T 1 ltac:(lra) l r x x' eps Heps) as H.
  now rewrite Rmult_1_l in H.
Qed.

Theorem best_match_clocks eps : 0 <= eps ->
  approximate (on (best_match similarity) (l ++ x :: r))
    (on (best_match similarity) (l ++ x' :: r)) outcomes
    eps (tanh (eta / 2) * exp (- eps / (exp eta - 1))).
Proof.
  intros Heps. pose proof (selection_clocks _ 1 (best_match_valuation similarity similarity_unit)
    menu prior prior_pos eta eta_pos start T 1 ltac:(lra) l r x x' eps Heps) as H.
  now rewrite Rmult_1_l in H.
Qed.

Theorem coverage_covering lambda : 0 <= lambda ->
  approximate (on (coverage likes) (l ++ x :: r)) (on (coverage likes) (l ++ x' :: r)) outcomes
    (eta + INR T * ln (1 + (exp eta - 1) * (1 - exp (- lambda / INR T))))
    ((1 - exp (- eta)) * exp (- lambda)).
Proof.
  intros Hl. apply (approximate_game menu prior prior_pos).
  assert (B : forall G y, binary G (marginal (coverage likes) start y)).
  { intros G y h u _. unfold marginal, coverage. cbn [existsb].
    destruct (existsb (likes y) (h ++ start)), (likes y u); simpl; lra. }
  apply (covering (shared menu prior prior_pos eta (marginal (coverage likes) start) (l ++ r)));
    auto; apply (marginal_at_most _ 1 (coverage_valuation likes)); lra.
Qed.

Lemma capped_most cap : INR cap <= INR (Nat.min cap T) \/ INR T <= INR (Nat.min cap T).
Proof.
  destruct (PeanoNat.Nat.le_ge_cases cap T) as [H|H].
  - left. rewrite PeanoNat.Nat.min_l by auto. lra.
  - right. rewrite PeanoNat.Nat.min_r by auto. lra.
Qed.

Theorem capped_telescoping cap :
  pure (on (capped likes cap) (l ++ x :: r)) (on (capped likes cap) (l ++ x' :: r)) outcomes
    ((INR T + INR (Nat.min cap T)) * eta).
Proof. apply (selection_telescoping _ _ (capped_valuation likes cap)); auto using capped_most. Qed.

Theorem capped_renyi cap alpha : 1 < alpha -> (alpha - 1) * (exp eta - 1) < 1 ->
  divergence (on (capped likes cap) (l ++ x :: r)) (on (capped likes cap) (l ++ x' :: r)) outcomes
    alpha
  <= - (INR (Nat.min cap T) / (alpha - 1)) *
     ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2).
Proof.
  intros. apply (selection_renyi _ _ (capped_valuation likes cap)); auto using capped_most.
Qed.
End Named.

(** The candidates that are apart from every pick and from every pinned item. *)
Definition apart_menu {U} (items start : list U) (apart : U -> U -> bool) (h : list U) : list U :=
  filter (fun u => forallb (apart u) (h ++ start)) items.

(** Such a menu is a menu: nothing is lost by pinning items and keeping picks apart. *)
Theorem apart_clocks {U X} (value : X -> list U -> R) (items start : list U)
    (apart : U -> U -> bool) (prior : list U -> U -> R) (eta eps : R) (l r : list X) (x x' : X)
    (T : nat) :
  valuation value 1 -> (forall h u, 0 < prior h u) -> 0 < eta -> 0 <= eps ->
  let menu := apart_menu items start apart in
  approximate (selection value menu prior eta start (l ++ x :: r))
    (selection value menu prior eta start (l ++ x' :: r)) (transcripts menu T)
    eps (tanh (eta / 2) * exp (- eps / (exp eta - 1))).
Proof.
  intros Hv Hp He Heps menu. pose proof (selection_clocks value 1 Hv menu prior
    (fun h u _ => Hp h u) eta He start T 1 ltac:(lra) l r x x' eps Heps) as H.
  now rewrite Rmult_1_l in H.
Qed.
