(** What it costs that real weights are not ideal.  [p] and [q] are the ideal mechanism on
    two neighbouring data sets, [p1] and [q1] what is really drawn from. *)
From DP Require Import Game Filter.

Section Releases.
Context {O : Type} (p q p1 q1 : O -> R) (l : list O).

Lemma sum_sets (S : O -> bool) (f g : O -> R) k : (forall x, In x l -> f x <= k * g x) ->
  sum (fun x => indic (S x) * f x) l <= k * sum (fun x => indic (S x) * g x) l.
Proof.
  intros H. rewrite <- sum_scal. apply sum_le. intros x Hx. specialize (H x Hx).
  destruct (S x); simpl; lra.
Qed.

(** Every probability within a factor e^xi: 2.xi of eps, and delta grows by e^xi. *)
Theorem rounding xi eps delta : pure p1 p l xi -> pure q q1 l xi ->
  approximate p q l eps delta -> approximate p1 q1 l (eps + 2 * xi) (exp xi * delta).
Proof.
  intros Hp Hq H S. specialize (H S).
  pose proof (sum_sets S p1 p (exp xi) Hp) as H1. pose proof (sum_sets S q q1 (exp xi) Hq) as H2.
  pose proof (exp_pos xi) as Hx. pose proof (exp_pos eps) as He.
  replace (exp (eps + 2 * xi)) with (exp xi * (exp eps * exp xi))
    by (rewrite <- !exp_plus; f_equal; ring).
  apply Rmult_le_compat_l with (r := exp eps) in H2; [|lra].
  apply Rle_trans with (exp xi * sum (fun x => indic (S x) * p x) l); [auto|].
  rewrite Rmult_assoc, <- Rmult_plus_distr_l. apply Rmult_le_compat_l; lra.
Qed.

(** The same for the divergence: xi (2 alpha - 1)/(alpha - 1) more. *)
Theorem rounding_renyi xi alpha rho : 1 < alpha -> l <> [] ->
  (forall x, In x l -> 0 < p x) -> (forall x, In x l -> 0 < q x) ->
  (forall x, In x l -> 0 < p1 x) -> (forall x, In x l -> 0 < q1 x) ->
  pure p1 p l xi -> pure q q1 l xi -> divergence p q l alpha <= rho ->
  divergence p1 q1 l alpha <= rho + xi * (2 * alpha - 1) / (alpha - 1).
Proof.
  intros Ha Hl Hp Hq Hp1 Hq1 Hpp Hqq H. apply divergence_moment in H; auto.
  apply divergence_moment; auto.
  replace ((alpha - 1) * (rho + xi * (2 * alpha - 1) / (alpha - 1)))
    with (xi * (2 * alpha - 1) + (alpha - 1) * rho) by (field; lra).
  rewrite exp_plus. eapply Rle_trans; [|apply Rmult_le_compat_l, H; apply Rlt_le, exp_pos].
  unfold moment. rewrite <- sum_scal. apply sum_le. intros x Hx.
  assert (E1 : Rpower (p1 x) alpha <= exp (xi * alpha) * Rpower (p x) alpha).
  { rewrite (Rmult_comm xi), <- (Rpower_exp xi), Rpower_mult_distr by (auto; apply exp_pos).
    apply Rle_Rpower_l; [lra|]. split; [auto|now apply Hpp]. }
  assert (E2 : Rpower (q1 x) (1 - alpha) <= exp (xi * (alpha - 1)) * Rpower (q x) (1 - alpha)).
  { assert (E : Rpower (q x) (alpha - 1) <= exp (xi * (alpha - 1)) * Rpower (q1 x) (alpha - 1)).
    { rewrite (Rmult_comm xi), <- (Rpower_exp xi), Rpower_mult_distr by (auto; apply exp_pos).
      apply Rle_Rpower_l; [lra|]. split; [auto|now apply Hqq]. }
    replace (1 - alpha) with (- (alpha - 1)) by ring. rewrite !Rpower_Ropp.
    pose proof (Rpower_pos (q x) (alpha - 1)). pose proof (Rpower_pos (q1 x) (alpha - 1)).
    apply Rmult_le_reg_l with (Rpower (q1 x) (alpha - 1) * Rpower (q x) (alpha - 1)); [nra|].
    field_simplify; [lra|lra|lra]. }
  replace (xi * (2 * alpha - 1)) with (xi * alpha + xi * (alpha - 1)) by ring. rewrite exp_plus.
  replace (exp (xi * alpha) * exp (xi * (alpha - 1)) *
    (Rpower (p x) alpha * Rpower (q x) (1 - alpha)))
    with (exp (xi * alpha) * Rpower (p x) alpha *
      (exp (xi * (alpha - 1)) * Rpower (q x) (1 - alpha))) by ring.
  apply Rmult_le_compat; auto; apply Rlt_le, Rpower_pos.
Qed.

(** No set's probability moved by more than tau: (1 + e^eps) tau of delta. *)
Theorem clamp tau eps delta : approximate p1 p l 0 tau -> approximate q q1 l 0 tau ->
  approximate p q l eps delta -> approximate p1 q1 l eps (delta + (1 + exp eps) * tau).
Proof.
  intros Hp Hq H S. specialize (Hp S). specialize (Hq S). specialize (H S).
  rewrite exp_0, Rmult_1_l in Hp, Hq. pose proof (exp_pos eps).
  apply Rmult_le_compat_l with (r := exp eps) in Hq; lra.
Qed.
End Releases.

(** * One draw: weights [w], really [w1] *)

Definition drawn {O} (l : list O) (w : O -> R) (x : O) : R := w x / sum w l.

Section Draw.
Context {O : Type} (w w1 : O -> R) (l : list O).
Hypotheses (l_ne : l <> []) (w_pos : forall x, In x l -> 0 < w x).
Hypothesis w1_pos : forall x, In x l -> 0 < w1 x.

(** Weights within e^t: probabilities within e^(2t), both ways. *)
Theorem rounding_draw t : pure w1 w l t -> pure w w1 l t ->
  pure (drawn l w1) (drawn l w) l (2 * t) /\ pure (drawn l w) (drawn l w1) l (2 * t).
Proof.
  assert (Main : forall v v1 : O -> R, (forall x, In x l -> 0 < v x) ->
    (forall x, In x l -> 0 < v1 x) -> pure v1 v l t -> pure v v1 l t ->
    pure (drawn l v1) (drawn l v) l (2 * t)).
  { intros v v1 Hv Hv1 H1 H2 x Hx. pose proof (sum_pos v l l_ne Hv) as P.
    pose proof (sum_pos v1 l l_ne Hv1) as P1.
    assert (Hs : sum v l <= exp t * sum v1 l) by (rewrite <- sum_scal; apply sum_le, H2).
    specialize (H1 x Hx). pose proof (Hv x Hx). pose proof (Hv1 x Hx). pose proof (exp_pos t).
    replace (exp (2 * t)) with (exp t * exp t) by (rewrite <- exp_plus; f_equal; ring).
    unfold drawn. apply Rmult_le_reg_r with (sum v l * sum v1 l); [nra|].
    replace (v1 x / sum v1 l * (sum v l * sum v1 l)) with (v1 x * sum v l) by (field; lra).
    replace (exp t * exp t * (v x / sum v l) * (sum v l * sum v1 l))
      with ((exp t * v x) * (exp t * sum v1 l)) by (field; lra).
    apply Rmult_le_compat; lra. }
  intros H1 H2. split; now apply Main.
Qed.

(** Weights raised by at most kappa each, n of them, of total at least 1: a set's
    probability moves by at most n.kappa. *)
Theorem clamp_draw kappa : 1 <= sum w l -> (forall x, In x l -> w x <= w1 x <= w x + kappa) ->
  approximate (drawn l w1) (drawn l w) l 0 (INR (length l) * kappa) /\
  approximate (drawn l w) (drawn l w1) l 0 (INR (length l) * kappa).
Proof.
  intros HW Hk. set (W := sum w l) in *. set (W1 := sum w1 l).
  assert (HW1 : W <= W1) by (apply sum_le; intros x Hx; now apply Hk).
  assert (Hn : W1 - W <= INR (length l) * kappa).
  { assert (E : forall m, (forall x, In x m -> w x <= w1 x <= w x + kappa) ->
      sum w1 m - sum w m <= INR (length m) * kappa); [|now apply E].
    induction m as [|x m IH]; intros H; [simpl; lra|]. cbn [sum length]. rewrite S_INR.
    pose proof (H x (or_introl eq_refl)).
    assert (sum w1 m - sum w m <= INR (length m) * kappa) by (apply IH; intros; apply H; now right).
    lra. }
  unfold drawn. fold W W1. split; intros S; rewrite exp_0, Rmult_1_l.
  - apply Rle_trans with (1 * sum (fun x => indic (S x) * (w x / W)) l + (W1 - W)); [|lra].
    replace (W1 - W) with (1 * W1 + -1 * W) by ring. unfold W1 at 2, W at 2.
    rewrite <- sum_lin, <- (Rmult_1_l (sum (fun x => 1 * w1 x + _) l)), <- sum_lin.
    apply sum_le. intros x Hx. pose proof (Hk x Hx). pose proof (w_pos x Hx).
    assert (w1 x / W1 <= w1 x - w x + w x / W).
    { apply Rle_trans with (w1 x / W).
      - apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
      - assert (/ W <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
        unfold Rdiv. nra. }
    destruct (S x); simpl; lra.
  - apply Rle_trans with (1 * sum (fun x => indic (S x) * (w1 x / W1)) l
      + (1 - W / W1) * sum (fun x => w x / W) l).
    + rewrite <- sum_lin. apply sum_le. intros x Hx. pose proof (Hk x Hx). pose proof (w_pos x Hx).
      assert (E : w x / W - w x / W1 = (1 - W / W1) * (w x / W)) by (field; lra).
      assert (0 <= (1 - W / W1) * (w x / W)).
      { rewrite <- E. assert (/ W1 <= / W) by (apply Rinv_le_contravar; lra). unfold Rdiv. nra. }
      assert (w x / W1 <= w1 x / W1)
        by (apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|lra]).
      destruct (S x); simpl; lra.
    + rewrite sum_div. fold W. replace (W / W) with 1 by (field; lra).
      assert (1 - W / W1 <= W1 - W); [|lra].
      replace (1 - W / W1) with ((W1 - W) * / W1) by (field; lra).
      assert (/ W1 <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). nra.
Qed.
End Draw.

(** * T draws *)

Section Rounds.
Context {U : Type} (menu : list U -> list U) (p p1 : list U -> U -> R).
Hypothesis p_pos : forall h u, In u (menu h) -> 0 < p h u.
Hypothesis p1_pos : forall h u, In u (menu h) -> 0 < p1 h u.
Hypothesis p1_sum : forall h, menu h <> [] -> sum (p1 h) (menu h) = 1.

Theorem rounding_rounds t T : 0 <= t ->
  (forall h, menu h <> [] -> pure (p1 h) (p h) (menu h) t) ->
  pure (likelihood p1) (likelihood p) (transcripts menu T) (INR T * t).
Proof.
  intros Ht H. apply (likelihood_pure menu) with (cost := fun _ _ => t); auto.
  - intros h u Hu. apply (H h (in_not_nil _ _ Hu) u Hu).
  - intros h Hin. rewrite total_same. apply transcripts_length, le_INR in Hin.
    now apply Rmult_le_compat_r.
Qed.

Theorem clamp_rounds tau T : 0 <= tau ->
  (forall h, menu h <> [] -> approximate (p1 h) (p h) (menu h) 0 tau) ->
  approximate (likelihood p1) (likelihood p) (transcripts menu T) 0 (INR T * tau).
Proof.
  intros Ht H. apply (filter_sum menu p1 p) with (eps := fun _ => 0) (delta := fun _ => tau);
    auto; try (intros; lra).
  - apply Rmult_le_pos; [apply pos_INR|auto].
  - intros h Hh _. unfold room_in_sum, spent. rewrite !total_same.
    pose proof (le_INR (S (length h)) T Hh) as HT. rewrite S_INR in HT. split; nra.
Qed.
End Rounds.
