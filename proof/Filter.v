(** Many releases, one budget: a filter with two rules.

    After the answers [h] the analyst asks for a next release, whichever he likes in the
    light of [h]; it is made only if one of two accounts still has room. *)
From DP Require Import Game Clocks Renyi.

Section Filter.
Context {A : Type}.

(** The answers that the next release can have (none: there is no further release), and
    their probabilities on the two neighbouring data sets. *)
Variable answers : list A -> list A.
Variables p p' : list A -> A -> R.
Hypothesis p_pos : forall h u, In u (answers h) -> 0 < p h u.
Hypothesis p'_pos : forall h u, In u (answers h) -> 0 < p' h u.
Hypothesis p_sum : forall h, answers h <> [] -> sum (p h) (answers h) = 1.

(** What the next release is charged; known before it is made. *)
Variables eps delta rho : list A -> R.
Hypothesis eps_ge : forall h, 0 <= eps h.
Hypothesis delta_ge : forall h, 0 <= delta h.
Hypothesis rho_ge : forall h, 0 <= rho h.
Definition spent (cost : list A -> R) (h : list A) : R := total (fun h _ => cost h) h.

(** The budget (eps_B, delta_sum) of the first account, rho_B at order alpha of the second. *)
Variables eps_B delta_sum alpha rho_B : R.
Hypotheses (eps_B_ge : 0 <= eps_B) (delta_sum_ge : 0 <= delta_sum) (alpha_gt : 1 < alpha).
Definition room_in_sum h := spent eps h + eps h <= eps_B /\ spent delta h + delta h <= delta_sum.
Definition room_in_order h := spent rho h + rho h <= rho_B.

(** What is assumed of a release.  Each guarantee is needed only where its account has
    room, so one that is infinite may be entered as any number beyond the budget. *)
Hypothesis release_sum : forall h, answers h <> [] -> room_in_sum h ->
  approximate (p h) (p' h) (answers h) (eps h) (delta h).
Hypothesis release_order : forall h, answers h <> [] -> room_in_order h ->
  divergence (p h) (p' h) (answers h) alpha <= rho h.

Notation P := (likelihood p).
Notation P' := (likelihood p').
Notation f a b := (Rpower a alpha * Rpower b (1 - alpha)).

(** * The first rule: adaptive basic composition *)

Definition sum_kept h := spent eps h <= eps_B /\ spent delta h <= delta_sum.
Lemma sum_kept_dec h : {sum_kept h} + {~ sum_kept h}.
Proof.
  unfold sum_kept. destruct (Rle_dec (spent eps h) eps_B), (Rle_dec (spent delta h) delta_sum);
    tauto.
Qed.

Lemma one_release a b e d (h : list A) : 0 < a -> 0 < b -> 0 <= d -> answers h <> [] ->
  approximate (p h) (p' h) (answers h) e d ->
  sum (fun u => Rmax 0 (a * p h u - exp e * b * p' h u)) (answers h) <= Rmax 0 (a - b) + d * a.
Proof.
  intros Ha Hb Hd E H. apply approximate_excess in H. unfold excess in H.
  set (g := fun u => Rmax 0 (p h u - exp e * p' h u)) in *.
  destruct (Rle_dec a b) as [Hab|Hab].
  - rewrite (Rmax_left 0 (a - b)) by lra. rewrite Rplus_0_l, (Rmult_comm d).
    apply Rle_trans with (a * sum g (answers h)); [|apply Rmult_le_compat_l; lra].
    rewrite <- sum_scal. apply sum_le. intros u Hu. pose proof (p'_pos h u Hu).
    pose proof (Rmax_l 0 (p h u - exp e * p' h u)).
    pose proof (Rmax_r 0 (p h u - exp e * p' h u)). fold (g u) in *.
    assert (0 <= exp e * p' h u * (b - a)) by nonneg. apply Rmax_lub; nra.
  - rewrite (Rmax_right 0 (a - b)) by lra.
    apply Rle_trans with ((a - b) * sum (p h) (answers h) + b * sum g (answers h)).
    + rewrite <- sum_lin. apply sum_le. intros u Hu. pose proof (p_pos h u Hu).
      pose proof (Rmax_l 0 (p h u - exp e * p' h u)).
      pose proof (Rmax_r 0 (p h u - exp e * p' h u)). fold (g u) in *.
      assert (0 <= (a - b) * p h u) by nonneg. apply Rmax_lub; nra.
    + rewrite p_sum by auto. nra.
Qed.

Notation excess_at h := (Rmax 0 (P h - exp eps_B * P' h)).

Lemma sum_part T : sum (fun h => if sum_kept_dec h then excess_at h else 0)
  (transcripts answers T) <= delta_sum.
Proof.
  pose (V := fun h => if sum_kept_dec h then
    Rmax 0 (P h - exp (spent eps h) * P' h) + (delta_sum - spent delta h) * P h else 0).
  assert (V0 : V [] = delta_sum).
  { unfold V. destruct sum_kept_dec as [_|n].
    - unfold spent. simpl. rewrite exp_0, Rmax_left; lra.
    - destruct n. split; unfold spent; simpl; lra. }
  rewrite <- V0.
  apply (tree_bound answers _ V (fun _ h => 0 < P h /\ 0 < P' h)); [| | |simpl; lra].
  - intros _ h [Ha Hb]. unfold V. destruct sum_kept_dec as [[He Hd]|_]; [|lra].
    assert (0 <= (delta_sum - spent delta h) * P h) by nonneg.
    apply Rle_trans with (Rmax 0 (P h - exp (spent eps h) * P' h)); [|lra].
    apply Rle_max_compat_l. pose proof (exp_le _ _ He). nra.
  - intros _ h u [Ha Hb] Hu. simpl. split; apply Rmult_lt_0_compat; auto.
  - intros _ h [Ha Hb] E. unfold V at 2.
    assert (Hkept : (forall u, sum_kept (u :: h) <-> room_in_sum h) /\
      (room_in_sum h -> sum_kept h)).
    { unfold sum_kept, room_in_sum, spent. cbn [total].
      pose proof (eps_ge h). pose proof (delta_ge h). split; [intros u; split; lra|lra]. }
    destruct Hkept as [Hu Hh].
    assert (Hdec : room_in_sum h \/ ~ room_in_sum h) by (unfold room_in_sum; lra).
    destruct Hdec as [Hroom|Hroom].
    + destruct (sum_kept_dec h) as [_|n]; [|tauto].
      pose proof (one_release (P h) (exp (spent eps h) * P' h) _ _ h Ha
        ltac:(apply Rmult_lt_0_compat; [apply exp_pos|auto]) (delta_ge h) E
        (release_sum h E Hroom)) as H1.
      set (left := delta_sum - spent delta h - delta h).
      apply Rle_trans with (1 * sum (fun u => Rmax 0 (P h * p h u -
        exp (eps h) * (exp (spent eps h) * P' h) * p' h u)) (answers h)
        + left * P h * sum (p h) (answers h)).
      * rewrite <- sum_lin. apply sum_le. intros u Huin. unfold V.
        destruct (sum_kept_dec (u :: h)) as [_|n]; [|destruct n; now apply Hu].
        right. unfold spent. cbn [total likelihood]. rewrite exp_plus.
        fold (spent eps h) (spent delta h). unfold left.
        f_equal; [rewrite Rmult_1_l; f_equal; ring|ring].
      * rewrite p_sum by auto. unfold left. lra.
    + apply Rle_trans with (sum (fun _ => 0 * 0) (answers h)).
      * apply sum_le. intros u _. unfold V.
        destruct (sum_kept_dec (u :: h)) as [y|_]; [apply Hu in y; tauto|lra].
      * rewrite sum_scal, Rmult_0_l. destruct sum_kept_dec as [[He Hd]|_]; [|lra].
        pose proof (Rmax_l 0 (P h - exp (spent eps h) * P' h)).
        assert (0 <= (delta_sum - spent delta h) * P h) by nonneg. lra.
Qed.

(** * The second rule: a Renyi filter at a fixed order *)

Notation order_kept h := (spent rho h <= rho_B).

Lemma moment_part T :
  sum (fun h => if Rle_dec (spent rho h) rho_B then f (P h) (P' h) else 0)
    (transcripts answers T) <= exp ((alpha - 1) * rho_B).
Proof.
  pose (V := fun h => if Rle_dec (spent rho h) rho_B then
    f (P h) (P' h) * exp ((alpha - 1) * (rho_B - spent rho h)) else 0).
  assert (V0 : V [] <= exp ((alpha - 1) * rho_B)).
  { unfold V, spent. simpl. rewrite !Rpower_1_l, Rminus_0_r.
    pose proof (exp_pos ((alpha - 1) * rho_B)). destruct Rle_dec; lra. }
  assert (Hf : forall a b, 0 < f a b) by (intros; apply Rmult_lt_0_compat; apply Rpower_pos).
  eapply Rle_trans; [|exact V0].
  apply (tree_bound answers _ V (fun _ h => 0 < P h /\ 0 < P' h)); [| | |simpl; lra].
  - intros _ h _. unfold V. destruct Rle_dec as [Hr|_]; [|lra]. pose proof (Hf (P h) (P' h)).
    pose proof (exp_ge ((alpha - 1) * (rho_B - spent rho h))).
    assert (0 <= (alpha - 1) * (rho_B - spent rho h)) by nonneg. nra.
  - intros _ h u [Ha Hb] Hu. simpl. split; apply Rmult_lt_0_compat; auto.
  - intros _ h [Ha Hb] E. unfold V at 2. pose proof (rho_ge h) as Hrho.
    assert (Hs : forall u : A, spent rho (u :: h) = rho h + spent rho h) by reflexivity.
    destruct (Rle_dec (spent rho h + rho h) rho_B) as [Hroom|Hroom].
    + destruct Rle_dec as [_|n]; [|lra].
      pose proof (release_order h E Hroom) as H. apply divergence_moment in H; auto.
      set (left := exp ((alpha - 1) * (rho_B - (rho h + spent rho h)))).
      apply Rle_trans with (f (P h) (P' h) * left * moment (p h) (p' h) (answers h) alpha).
      * unfold moment. rewrite <- sum_scal. apply sum_le. intros u Hu. unfold V. rewrite Hs.
        destruct Rle_dec as [_|n]; [|lra]. right. cbn [likelihood]. unfold left.
        rewrite <- !Rpower_mult_distr by auto. ring.
      * replace (exp ((alpha - 1) * (rho_B - spent rho h)))
          with (left * exp ((alpha - 1) * rho h))
          by (unfold left; rewrite <- exp_plus; f_equal; ring).
        rewrite <- Rmult_assoc. apply Rmult_le_compat_l; [|auto].
        pose proof (Hf (P h) (P' h)). unfold left. nonneg.
    + apply Rle_trans with (sum (fun _ => 0 * 0) (answers h)).
      * apply sum_le. intros u _. unfold V. rewrite Hs. destruct Rle_dec; lra.
      * rewrite sum_scal, Rmult_0_l. destruct Rle_dec; [|lra].
        pose proof (Hf (P h) (P' h)). nonneg.
Qed.

Lemma likelihoods_pos T h : In h (transcripts answers T) -> 0 < P h /\ 0 < P' h.
Proof. intros Hin. split; now apply (likelihood_pos answers) with (T := T). Qed.

Lemma order_part T : sum (fun h => if Rle_dec (spent rho h) rho_B then excess_at h else 0)
  (transcripts answers T) <= conversion alpha rho_B eps_B.
Proof.
  unfold conversion.
  replace ((alpha - 1) * (rho_B - eps_B))
    with (- (alpha - 1) * eps_B + (alpha - 1) * rho_B) by ring.
  rewrite exp_plus, <- Rmult_assoc.
  assert (0 <= / alpha) by (apply Rlt_le, Rinv_0_lt_compat; lra).
  eapply Rle_trans; [|apply Rmult_le_compat_l; [nonneg|apply (moment_part T)]].
  rewrite <- sum_scal. apply sum_le. intros h Hin. destruct (likelihoods_pos T h Hin).
  destruct Rle_dec; [now apply excess_moment|lra].
Qed.

(** * Both rules *)

(** What satisfied a rule with the last release still satisfies it: sums only grow. *)
Lemma kept T :
  (forall h, (length h < T)%nat -> answers h <> [] -> room_in_sum h \/ room_in_order h) ->
  forall h, In h (transcripts answers T) -> sum_kept h \/ order_kept h.
Proof.
  intros Hallowed h Hin.
  destruct (transcripts_ind answers (fun n h => length h = n /\ (sum_kept h \/ order_kept h)) T)
    with (h := h) as (n & _ & _ & H); auto.
  - split; [auto|]. left. split; unfold spent; simpl; lra.
  - intros n h0 u Hn [<- _] Hu. split; [auto|].
    destruct (Hallowed h0 Hn (in_not_nil _ _ Hu)) as [[He Hd]|Ho];
      [left; split|right]; unfold room_in_order, spent in *; cbn [total]; lra.
Qed.

(** If each of [T] releases is allowed by one rule or the other, everything ever released is
    (eps_B, delta_sum + delta_order)-private. *)
Theorem filter_two_rules T :
  (forall h, (length h < T)%nat -> answers h <> [] -> room_in_sum h \/ room_in_order h) ->
  approximate P P' (transcripts answers T) eps_B (delta_sum + conversion alpha rho_B eps_B).
Proof.
  intros Hallowed. apply approximate_excess. unfold excess.
  pose proof (sum_part T) as H1. pose proof (order_part T) as H2.
  set (g1 := fun h => if sum_kept_dec h then excess_at h else 0) in H1.
  set (g2 := fun h => if Rle_dec (spent rho h) rho_B then excess_at h else 0) in H2.
  apply Rle_trans with (sum (fun h => 1 * g1 h + 1 * g2 h) (transcripts answers T));
    [|rewrite sum_lin; lra].
  apply sum_le. intros h Hin. unfold g1, g2. pose proof (Rmax_l 0 (P h - exp eps_B * P' h)).
  destruct (kept T Hallowed h Hin) as [Hk|Hk].
  - destruct (sum_kept_dec h); [|tauto]. destruct Rle_dec; lra.
  - destruct (Rle_dec (spent rho h) rho_B); [|lra]. destruct sum_kept_dec; lra.
Qed.

(** The first rule alone, and the second alone. *)
Theorem filter_sum T :
  (forall h, (length h < T)%nat -> answers h <> [] -> room_in_sum h) ->
  approximate P P' (transcripts answers T) eps_B delta_sum.
Proof.
  intros Hallowed. apply approximate_excess. eapply Rle_trans; [|apply (sum_part T)].
  apply sum_le. intros h Hin. destruct sum_kept_dec as [_|n]; [lra|destruct n].
  destruct (transcripts_ind answers (fun n h => length h = n /\ sum_kept h) T) with (h := h)
    as (n & _ & _ & H); auto; [repeat split; unfold spent; simpl; lra|].
  intros n h0 u Hn [<- _] Hu. destruct (Hallowed h0 Hn (in_not_nil _ _ Hu)).
  repeat split; unfold spent in *; cbn [total]; lra.
Qed.

Theorem filter_order T : 0 <= rho_B ->
  (forall h, (length h < T)%nat -> answers h <> [] -> room_in_order h) ->
  divergence P P' (transcripts answers T) alpha <= rho_B.
Proof.
  intros H0 Hallowed. apply divergence_moment; [auto|apply transcripts_not_nil|].
  eapply Rle_trans; [|apply (moment_part T)]. unfold moment.
  apply sum_le. intros h Hin. destruct Rle_dec as [_|n]; [lra|destruct n].
  destruct (transcripts_ind answers (fun n h => length h = n /\ order_kept h) T) with (h := h)
    as (n & _ & _ & H); auto.
  intros n h0 u Hn [<- _] Hu. pose proof (Hallowed h0 Hn (in_not_nil _ _ Hu)) as Hr.
  split; [auto|]. unfold room_in_order, spent in *; cbn [total]. lra.
Qed.
End Filter.

(** * Selections as releases *)

(** After the answers [h] the analyst may [ask] for a selection of [T h] rounds with noise
    [eta h] and limit [A h]; it is charged (eps, delta) by Clocks.v and rho by Renyi.v. *)
Section Selections.
Context {U : Type}.
Notation so_far := (list (list U)).
Variable ask : so_far -> bool.
Variable G : so_far -> game U.
Variable T : so_far -> nat.
Variables eta A : so_far -> R.
Variables D D' : so_far -> list U -> U -> R.
Hypothesis eta_pos : forall h, 0 < eta h.
Hypothesis D_within : forall h, within (G h) 1 (D h).
Hypothesis D'_within : forall h, within (G h) 1 (D' h).
Hypothesis D_at_most : forall h, at_most (G h) (A h) (D h) (T h).
Hypothesis D'_at_most : forall h, at_most (G h) (A h) (D' h) (T h).
Definition selections h := if ask h then transcripts (cands (G h)) (T h) else [].

Variables eps delta rho : so_far -> R.
Variables eps_B delta_sum alpha rho_B : R.
Hypothesis eps_ge : forall h, 0 <= eps h.
Hypothesis delta_ge : forall h, 0 <= delta h.
Hypothesis rho_ge : forall h, 0 <= rho h.
Hypothesis clocks_charged : forall h,
  tanh (A h * eta h / 2) * exp (- eps h / (exp (A h * eta h) - 1)) <= delta h.
Hypothesis renyi_charged : forall h, room_in_order rho rho_B h ->
  (alpha - 1) * (exp (eta h) - 1) < 1 /\
  - (A h / (alpha - 1)) * ln (1 - 4 * alpha * (alpha - 1) * sinh (eta h / 2) ^ 2) <= rho h.

Theorem filter_selections n : 0 <= eps_B -> 0 <= delta_sum -> 1 < alpha ->
  (forall h, (length h < n)%nat -> ask h = true ->
     room_in_sum eps delta eps_B delta_sum h \/ room_in_order rho rho_B h) ->
  approximate (likelihood (fun h => P (G h) (eta h) (D h)))
    (likelihood (fun h => P (G h) (eta h) (D' h))) (transcripts selections n)
    eps_B (delta_sum + conversion alpha rho_B eps_B).
Proof.
  intros HB Hd Ha Hallowed.
  assert (Hask : forall h, selections h <> [] ->
    ask h = true /\ selections h = transcripts (cands (G h)) (T h)).
  { intros h. unfold selections. destruct (ask h); [auto|now intros []]. }
  apply (filter_two_rules selections _ _) with (eps := eps) (delta := delta) (rho := rho); auto.
  1,2: intros h u Hu; destruct (Hask h (in_not_nil _ _ Hu)) as [_ E]; rewrite E in Hu;
    now apply (P_pos (G h) (eta h) (eta_pos h) 1) with (T := T h).
  4: now intros h Hn E; apply Hallowed; [|apply Hask].
  all: intros h E; destruct (Hask h E) as [Hh Es]; rewrite ?Es.
  - now apply (P_sum (G h) (eta h) (eta_pos h) 1).
  - intros _. apply approximate_excess. eapply Rle_trans; [|apply clocks_charged].
    apply approximate_excess. now apply clocks.
  - intros Hroom. destruct (renyi_charged h Hroom) as [Hs Hr].
    eapply Rle_trans; [now apply renyi|exact Hr].
Qed.
End Selections.
