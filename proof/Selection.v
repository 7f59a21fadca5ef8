(** Selections, whose picks are only added: coverage, coverage with a cap, best match. *)
From DP Require Import Game Clocks Renyi Covering Scores.

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
