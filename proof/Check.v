(** Small examples, then every definition and every statement, as statements.txt has them.
    check.sh also asks which axioms the statements named here rest on. *)
From DP Require Import Privacy Tree Game ClockPotential Clocks Renyi Growth Covering
  Filter BoundedRange LocalSearch Reserves Scores Selection.

(** Three candidates, two rounds; users as lists of the candidates that serve them. *)
Definition toy_menu (h : list nat) := if Nat.ltb (length h) 2 then [0; 1; 2]%nat else [].
Definition toy_likes (x : list nat) (u : nat) := existsb (Nat.eqb u) x.
Definition toy := selection (coverage toy_likes) toy_menu (fun _ _ => 1) (1 / 10) [].

Example toy_transcripts : length (transcripts toy_menu 5) = 9%nat.
Proof. reflexivity. Qed.

Example toy_clocks :
  approximate (toy [[0; 1]; [0; 2]; [2]]%nat) (toy [[0; 1]; [1; 2]; [2]]%nat)
    (transcripts toy_menu 5) 1 (tanh (1 / 10 / 2) * exp (- (1) / (exp (1 / 10) - 1))).
Proof.
  apply (coverage_clocks toy_likes toy_menu (fun _ _ => 1) ltac:(intros; lra) (1 / 10)
    ltac:(lra) [] [[0; 1]%nat] [[2]%nat]). lra.
Qed.

Example toy_covering :
  approximate (toy [[0; 1]; [0; 2]; [2]]%nat) (toy [[0; 1]; [1; 2]; [2]]%nat)
    (transcripts toy_menu 2)
    (1 / 10 + INR 2 * ln (1 + (exp (1 / 10) - 1) * (1 - exp (- (3) / INR 2))))
    ((1 - exp (- (1 / 10))) * exp (- (3))).
Proof.
  apply (coverage_covering toy_likes toy_menu (fun _ _ => 1) ltac:(intros; lra) (1 / 10)
    ltac:(lra) [] [[0; 1]%nat] [[2]%nat]). lra.
Qed.

(** Users with a favourite: another candidate is worth half.  Candidate 2 is pinned, and
    picks must differ from it and from each other. *)
Definition near (x u : nat) : R := if Nat.eqb u x then 1 else 1 / 2.
Definition differ (u v : nat) := negb (Nat.eqb u v).
Definition toy_apart := apart_menu [0; 1; 2]%nat [2]%nat differ.

Example toy_apart_transcripts : transcripts toy_apart 5 = [[1; 0]; [0; 1]]%nat.
Proof. reflexivity. Qed.

Example toy_best_match :
  approximate
    (selection (best_match near) toy_apart (fun _ _ => 1) (1 / 10) [2]%nat [0; 1; 2]%nat)
    (selection (best_match near) toy_apart (fun _ _ => 1) (1 / 10) [2]%nat [0; 2; 2]%nat)
    (transcripts toy_apart 5) 1 (tanh (1 / 10 / 2) * exp (- (1) / (exp (1 / 10) - 1))).
Proof.
  apply (apart_clocks (best_match near) [0; 1; 2]%nat [2]%nat differ (fun _ _ => 1) (1 / 10) 1
    [0]%nat [2]%nat 1%nat 2%nat 5); try (intros; lra).
  apply best_match_valuation. intros x u. unfold near. destruct (Nat.eqb u x); lra.
Qed.

Set Printing Width 96.

(** These are the standard library's (and so are the symbols: no file makes its own). *)
Locate exp. Locate ln. Locate sinh. Locate tanh. Locate Rmax. Locate INR.

(** What is meant. *)
Print sum. Print indic.
Print pure. Print approximate. Print moment. Print divergence. Print excess. Print conversion.
Print continuations. Print transcripts. Print likelihood. Print total.
Print game. Print weight. Print Z. Print pick. Print P.
Print within. Print at_most. Print binary.
Print score. Print prob. Print Pr.
Print valuation. Print coverage. Print capped. Print best_match.
Print marginal. Print selection. Print apart_menu.
Print spent. Print room_in_sum. Print room_in_order.
Print low. Print clock. Print clocks_ahead.
Print selections. Print stages. Print stage_chance. Print local_search. Print drawn.

(** What is proved. *)
Check @approximate_excess.
Check @pure_approximate.
Check @renyi_approximate.
Check @P_sum.
Check @P_pos.
Check @basic.
Check @telescoping.
Check @clocks.
Check @clocks_limits.
Check @clocks_add.
Check @clocks_remove.
Check @clocks_remove_pure.
Check @renyi.
Check @renyi_limits.
Check @covering.
Check @covering_limits.
Check @bounded_range.
Check @pure_renyi.
Check @filter_sum.
Check @filter_order.
Check @filter_two_rules.
Check @filter_selections.
Check @local_search_renyi.
Check @rounding.
Check @rounding_renyi.
Check @rounding_draw.
Check @rounding_rounds.
Check @clamp.
Check @clamp_draw.
Check @clamp_rounds.
Check @scores_basic.
Check @scores_bounded_range.
Check @coverage_valuation.
Check @capped_valuation.
Check @best_match_valuation.
Check @selection_telescoping.
Check @selection_clocks.
Check @selection_renyi.
Check @coverage_clocks.
Check @coverage_covering.
Check @best_match_clocks.
Check @capped_telescoping.
Check @capped_renyi.
Check @apart_clocks.
