(** How fast P/P' can grow in Covering.v: an even spending is the worst. *)
From DP Require Import Privacy.

Lemma share_ge l n : 0 <= l -> 0 <= l / INR (S n).
Proof.
  intros Hl. apply Rmult_le_pos; [auto|].
  apply Rlt_le, Rinv_0_lt_compat, lt_0_INR, PeanoNat.Nat.lt_0_succ.
Qed.

Section Grow.
Variable c : R.
Hypothesis c_pos : 0 < c.
Definition grow y := 1 + c * (1 - exp (- y)).

Lemma grow_ge y : 0 <= y -> 1 <= grow y.
Proof.
  intros Hy. assert (exp (- y) <= 1); [|unfold grow; nra].
  rewrite <- exp_0. apply exp_le. lra.
Qed.

(** ln (grow y) is concave: its tangent at z. *)
Lemma grow_tangent y z : 0 <= z ->
  grow y <= grow z * exp (c * exp (- z) / grow z * (y - z)).
Proof.
  intros Hz. pose proof (grow_ge z Hz) as Hg. pose proof (exp_pos (- z)) as He.
  apply Rle_trans with (grow z * (1 + c * exp (- z) / grow z * (y - z))).
  2: apply Rmult_le_compat_l; [lra|apply exp_ge].
  replace (grow z * (1 + c * exp (- z) / grow z * (y - z)))
    with (grow z + c * exp (- z) * (y - z)) by (field; lra).
  unfold grow. replace (- y) with (- z + - (y - z)) by ring. rewrite exp_plus.
  pose proof (exp_ge (- (y - z))) as H.
  apply Rmult_le_compat_l with (r := c * exp (- z)) in H; [|nra]. lra.
Qed.

Lemma grow_pow_ge l n : 0 <= l -> 1 <= grow (l / INR n) ^ n.
Proof. destruct n; simpl; [lra|]. intros. apply (pow_R1_Rle _ (S n)), grow_ge, share_ge; auto. Qed.

(** Spending y now and the rest evenly is no better than spending evenly. *)
Lemma grow_split m y l : 0 <= y <= l ->
  grow y * grow ((l - y) / INR m) ^ m <= grow (l / INR (S m)) ^ S m.
Proof.
  intros Hy. set (z := l / INR (S m)). set (w := (l - y) / INR m).
  assert (Hz : 0 <= z) by (apply share_ge; lra). pose proof (grow_ge z Hz) as Hg.
  set (s := c * exp (- z) / grow z).
  assert (Hs : 0 <= s) by (apply Rlt_le, Rdiv_lt_0_compat; [pose proof (exp_pos (- z)); nra|lra]).
  assert (Hsum : (y - z) + INR m * (w - z) <= 0).
  { pose proof (pos_INR m).
    assert (Ez : z * (INR m + 1) = l) by (unfold z; rewrite S_INR; field; lra).
    destruct (Req_dec (INR m) 0) as [E|E]; [rewrite E in *; lra|].
    assert (INR m * w = l - y) by (unfold w; field; auto). nra. }
  assert (Hpow : grow w ^ m <= grow z ^ m * exp (s * (INR m * (w - z)))).
  { replace (exp (s * (INR m * (w - z)))) with (exp (s * (w - z)) ^ m)
      by (rewrite <- Rpower_pow, Rpower_exp by apply exp_pos; f_equal; ring).
    rewrite <- Rpow_mult_distr. destruct m as [|m']; [simpl; lra|].
    apply pow_incr. split; [|now apply grow_tangent].
    apply Rle_trans with 1; [lra|]. apply grow_ge, share_ge. lra. }
  pose proof (grow_tangent y z Hz) as Hy'. fold s in Hy'.
  pose proof (grow_ge y (proj1 Hy)). pose proof (grow_pow_ge (l - y) m ltac:(lra)) as Hw.
  fold w in Hw. pose proof (pow_R1_Rle _ (S m) Hg).
  apply Rle_trans with
    (grow z * exp (s * (y - z)) * (grow z ^ m * exp (s * (INR m * (w - z))))).
  { apply Rmult_le_compat; lra. }
  replace (grow z * exp (s * (y - z)) * (grow z ^ m * exp (s * (INR m * (w - z)))))
    with (grow z ^ S m * exp (s * ((y - z) + INR m * (w - z))))
    by (rewrite (Rmult_plus_distr_l s), exp_plus; simpl; ring).
  rewrite <- (Rmult_1_r (grow z ^ S m)) at 2. apply Rmult_le_compat_l; [lra|].
  rewrite <- exp_0. apply exp_le. nra.
Qed.
End Grow.
