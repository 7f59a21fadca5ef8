(** Local search: a start whose picks are only added, then swaps of any effect.

    The start is a game whose marginals add up to at most A.  The swaps are a game that
    depends on the start's outcome [s]; a candidate is a swap, and a user's score for it is
    anything between 0 and m. *)
From DP Require Import Game Clocks Renyi BoundedRange Filter.

Section LocalSearch.
Context {U : Type} (start : game U) (swaps : list U -> game U) (eta A m alpha : R).
Variables (T T' : nat) (D D' : list U -> U -> R) (E E' : list U -> list U -> U -> R).
Hypotheses (eta_pos : 0 < eta) (A_ge : 0 <= A) (m_pos : 0 < m) (alpha_gt : 1 < alpha).
Hypothesis small : (alpha - 1) * (exp eta - 1) < 1.
Hypotheses (HD : within start 1 D) (HD' : within start 1 D').
Hypotheses (HA : at_most start A D T) (HA' : at_most start A D' T).
Hypothesis HE : forall s, within (swaps s) m (E s).
Hypothesis HE' : forall s, within (swaps s) m (E' s).

(** Two releases: the start's picks, then the swaps. *)
Definition stages (h : list (list U)) : list (list U) :=
  match h with
  | [] => transcripts (cands start) T
  | [s] => transcripts (cands (swaps s)) T'
  | _ => []
  end.
Definition stage_chance (D : list U -> U -> R) (E : list U -> list U -> U -> R)
    (h : list (list U)) : list U -> R :=
  match h with [s] => P (swaps s) eta (E s) | _ => P start eta D end.
Definition local_search D E : list (list U) -> R := likelihood (stage_chance D E).

Theorem local_search_renyi :
  divergence (local_search D E) (local_search D' E') (transcripts stages 2) alpha
  <= - (A / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2)
     + INR T' * (alpha * (2 * m * eta) ^ 2 / 8).
Proof.
  set (rho := - (A / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta / 2) ^ 2)).
  set (rho' := INR T' * (alpha * (2 * m * eta) ^ 2 / 8)).
  assert (H0 : 0 <= rho) by now apply renyi_ge_0.
  assert (H1 : 0 <= rho').
  { pose proof (pow2_ge_0 (2 * m * eta)). pose proof (pos_INR T'). unfold rho'.
    apply Rmult_le_pos; [auto|]. nra. }
  assert (Hpos : forall D E, within start 1 D -> (forall s, within (swaps s) m (E s)) ->
    forall h u, In u (stages h) -> 0 < stage_chance D E h u).
  { intros D0 E0 HD0 HE0 [|s [|]] u Hu; simpl in Hu |- *; [| |easy].
    - now apply (P_pos start eta eta_pos 1) with (T := T).
    - now apply (P_pos (swaps s) eta eta_pos m) with (T := T'). }
  apply (filter_order stages (stage_chance D E) (stage_chance D' E')) with
    (rho := fun h => match h with [] => rho | [_] => rho' | _ => 0 end); auto; try lra.
  - intros [|s [|]]; lra.
  - intros [|s [|]] Hh _; [now apply renyi|now apply bounded_range|easy].
  - intros [|s [|]] _ Hh; unfold room_in_order, spent; simpl; [lra|lra|easy].
Qed.
End LocalSearch.
