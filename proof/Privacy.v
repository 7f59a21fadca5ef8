(** What is claimed: the usual notions of privacy, for two distributions [p] and [q]
    on a finite list of outcomes.  Coq 8.16, standard library only. *)
From Coq Require Export Reals Lra List Bool.
Export ListNotations.
Open Scope R_scope.

Fixpoint sum {A} (f : A -> R) (l : list A) : R :=
  match l with [] => 0 | x :: l => f x + sum f l end.

Definition indic (b : bool) : R := if b then 1 else 0.

Section Notions.
Context {A : Type} (p q : A -> R) (l : list A).

(** Pure differential privacy: no outcome is more than e^eps times as likely. *)
Definition pure (eps : R) : Prop := forall x, In x l -> p x <= exp eps * q x.

(** (eps, delta)-differential privacy: the same for every set [S], up to delta. *)
Definition approximate (eps delta : R) : Prop := forall S : A -> bool,
  sum (fun x => indic (S x) * p x) l
  <= exp eps * sum (fun x => indic (S x) * q x) l + delta.

(** The Renyi divergence of order alpha. *)
Definition moment (alpha : R) : R :=
  sum (fun x => Rpower (p x) alpha * Rpower (q x) (1 - alpha)) l.
Definition divergence (alpha : R) : R := ln (moment alpha) / (alpha - 1).

(** The smallest delta for a given eps, see [approximate_excess]. *)
Definition excess (eps : R) : R := sum (fun x => Rmax 0 (p x - exp eps * q x)) l.
End Notions.

(** * Sums *)

Section Sums.
Context {A : Type}.
Implicit Types (f g : A -> R) (l : list A).

Lemma sum_app f l m : sum f (l ++ m) = sum f l + sum f m.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_le f g l : (forall x, In x l -> f x <= g x) -> sum f l <= sum g l.
Proof.
  induction l as [|x l IH]; simpl; intros H; [lra|].
  pose proof (H x (or_introl eq_refl)).
  assert (sum f l <= sum g l) by auto. lra.
Qed.

Lemma sum_ext_in f g l : (forall x, In x l -> f x = g x) -> sum f l = sum g l.
Proof. intros H. apply Rle_antisym; apply sum_le; intros; rewrite H; auto; lra. Qed.

Lemma sum_ext f g l : (forall x, f x = g x) -> sum f l = sum g l.
Proof. intros. now apply sum_ext_in. Qed.

Lemma sum_lin f g s t l : sum (fun x => s * f x + t * g x) l = s * sum f l + t * sum g l.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_scal f s l : sum (fun x => s * f x) l = s * sum f l.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; lra. Qed.

Lemma sum_div f s l : sum (fun x => f x / s) l = sum f l / s.
Proof. induction l as [|x l IH]; simpl; [|rewrite IH]; unfold Rdiv; lra. Qed.

Lemma sum_ge_0 f l : (forall x, In x l -> 0 <= f x) -> 0 <= sum f l.
Proof.
  intros H. replace 0 with (sum (fun _ => 0 * 0) l) by (rewrite sum_scal; ring).
  apply sum_le. intros x Hx. pose proof (H x Hx). lra.
Qed.

Lemma sum_pos f l : l <> [] -> (forall x, In x l -> 0 < f x) -> 0 < sum f l.
Proof.
  destruct l as [|x l]; [now intros []|]. intros _ H. simpl.
  pose proof (H x (or_introl eq_refl)).
  assert (0 <= sum f l) by (apply sum_ge_0; intros; apply Rlt_le, H; now right). lra.
Qed.
End Sums.

Lemma sum_flat_map {A C} (f : C -> R) (g : A -> list C) l :
  sum f (flat_map g l) = sum (fun x => sum f (g x)) l.
Proof. induction l as [|x l IH]; simpl; [|rewrite sum_app, IH]; lra. Qed.

Lemma in_not_nil {A} (x : A) l : In x l -> l <> [].
Proof. destruct l; [intros []|congruence]. Qed.

(** * Exponentials and powers *)

Lemma exp_ge x : 1 + x <= exp x.
Proof.
  destruct (Req_dec x 0) as [->|H]; [rewrite exp_0; lra|].
  now apply Rlt_le, exp_ineq1.
Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [H| ->]; [left; now apply exp_increasing|lra]. Qed.

Lemma Rpower_exp x y : Rpower (exp x) y = exp (y * x).
Proof. unfold Rpower. now rewrite ln_exp. Qed.

Lemma Rpower_1_l x : Rpower 1 x = 1.
Proof. unfold Rpower. now rewrite ln_1, Rmult_0_r, exp_0. Qed.

Lemma Rpower_pos x y : 0 < Rpower x y.
Proof. apply exp_pos. Qed.

Lemma Rpower_ge_1 x y : 1 <= x -> 0 <= y -> 1 <= Rpower x y.
Proof.
  intros Hx Hy. rewrite <- (Rpower_O x) by lra.
  destruct (Req_dec x 1) as [->|]; [rewrite !Rpower_1_l; lra|]. apply Rle_Rpower; lra.
Qed.

Lemma Rpower_le_1 x y : 0 < x <= 1 -> 0 <= y -> Rpower x y <= 1.
Proof. intros Hx Hy. rewrite <- (Rpower_1_l y). apply Rle_Rpower_l; lra. Qed.

Lemma Rpower_div x y t : 0 < x -> 0 < y -> Rpower (x / y) t * Rpower y t = Rpower x t.
Proof.
  intros. rewrite Rpower_mult_distr by (auto; now apply Rdiv_lt_0_compat).
  f_equal. field. lra.
Qed.

(** A product of nonnegative factors, each known or plain. *)
Ltac nonneg := repeat first [assumption | lra | apply Rlt_le, Rpower_pos
  | apply Rlt_le, exp_pos | apply Rmult_le_pos].

(** s^alpha t^(1-alpha) is convex; this is its tangent at (1,1). *)
Lemma tangent alpha s t : 1 <= alpha -> 0 < s -> 0 < t ->
  alpha * s - (alpha - 1) * t <= Rpower s alpha * Rpower t (1 - alpha).
Proof.
  intros Ha Hs Ht. unfold Rpower. rewrite <- exp_plus.
  set (v := ln s - ln t).
  replace (alpha * ln s + (1 - alpha) * ln t) with ((alpha - 1) * v + ln s)
    by (unfold v; ring).
  assert (Et : t = exp (- v) * s).
  { rewrite <- (exp_ln s Hs) at 1. rewrite <- exp_plus.
    unfold v. replace (- (ln s - ln t) + ln s) with (ln t) by ring. now rewrite exp_ln. }
  rewrite exp_plus, (exp_ln s Hs), Et.
  pose proof (exp_ge ((alpha - 1) * v)). pose proof (exp_ge (- v)).
  assert ((alpha - 1) * (1 + - v) <= (alpha - 1) * exp (- v))
    by (apply Rmult_le_compat_l; lra).
  nra.
Qed.

(** * How the notions are related *)

Section Relations.
Context {A : Type} (p q : A -> R) (l : list A).

Theorem approximate_excess eps delta : approximate p q l eps delta <-> excess p q l eps <= delta.
Proof.
  unfold approximate, excess. split.
  - intros H. specialize (H (fun x => if Rlt_dec (exp eps * q x) (p x) then true else false)).
    rewrite (sum_ext _ (fun x =>
      1 * (indic (if Rlt_dec (exp eps * q x) (p x) then true else false) * p x) +
      - exp eps * (indic (if Rlt_dec (exp eps * q x) (p x) then true else false) * q x))).
    + rewrite sum_lin. lra.
    + intros x. unfold Rmax, indic.
      destruct (Rlt_dec (exp eps * q x) (p x)), (Rle_dec 0 (p x - exp eps * q x)); lra.
  - intros H S. rewrite Rplus_comm. eapply Rle_trans; [|apply Rplus_le_compat_r, H].
    rewrite <- (Rmult_1_l (sum (fun x => Rmax _ _) _)), <- sum_lin.
    apply sum_le. intros x _.
    pose proof (Rmax_l 0 (p x - exp eps * q x)). pose proof (Rmax_r 0 (p x - exp eps * q x)).
    destruct (S x); simpl; lra.
Qed.

Theorem pure_approximate eps : pure p q l eps -> approximate p q l eps 0.
Proof.
  intros H. apply approximate_excess. unfold excess.
  apply Rle_trans with (sum (fun _ => 0 * 0) l); [|rewrite sum_scal; lra].
  apply sum_le. intros x Hx. rewrite Rmax_left; [lra|]. specialize (H x Hx). lra.
Qed.

Lemma moment_pos alpha : l <> [] -> 0 < moment p q l alpha.
Proof. intros Hl. apply sum_pos; auto. intros. apply Rmult_lt_0_compat; apply Rpower_pos. Qed.

Lemma divergence_moment alpha rho : 1 < alpha -> l <> [] ->
  divergence p q l alpha <= rho <-> moment p q l alpha <= exp ((alpha - 1) * rho).
Proof.
  intros Ha Hl. pose proof (moment_pos alpha Hl) as Hm. unfold divergence.
  set (m := moment p q l alpha) in *. rewrite <- (exp_ln m Hm) at 2.
  assert (E : ln m / (alpha - 1) * (alpha - 1) = ln m) by (field; lra). split; intros H.
  - apply exp_le. nra.
  - apply Rmult_le_reg_r with (alpha - 1); [lra|]. rewrite E, Rmult_comm.
    destruct (Rle_or_lt (ln m) ((alpha - 1) * rho)) as [|Hlt]; auto.
    apply exp_increasing in Hlt. lra.
Qed.

(** One outcome's share in the conversion from Renyi. *)
Lemma excess_moment alpha eps s t : 1 < alpha -> 0 < s -> 0 < t ->
  Rmax 0 (s - exp eps * t) <= / alpha * Rpower (1 - / alpha) (alpha - 1)
    * exp (- (alpha - 1) * eps) * (Rpower s alpha * Rpower t (1 - alpha)).
Proof.
  intros Ha Hs Ht. set (k := exp eps * t).
  assert (Hk : 0 < k) by (apply Rmult_lt_0_compat; [apply exp_pos|auto]).
  assert (Hi : 0 < / alpha < 1)
    by (split; [apply Rinv_0_lt_compat|rewrite <- Rinv_1; apply Rinv_lt_contravar]; lra).
  apply Rmax_lub.
  { repeat apply Rmult_le_pos; try (apply Rlt_le; apply Rpower_pos || apply exp_pos). lra. }
  pose proof (tangent alpha (s * / alpha) (k * / (alpha - 1)) ltac:(lra)
    ltac:(nra) ltac:(apply Rmult_lt_0_compat; [auto|apply Rinv_0_lt_compat; lra])) as H.
  replace (alpha * (s * / alpha) - (alpha - 1) * (k * / (alpha - 1))) with (s - k) in H
    by (field; lra).
  eapply Rle_trans; [exact H|]. right. unfold Rpower, k.
  rewrite !ln_mult, !ln_Rinv, ln_exp
    by (auto; try lra; try apply exp_pos; apply Rinv_0_lt_compat; lra).
  replace (1 - / alpha) with ((alpha - 1) * / alpha) by (field; lra).
  rewrite ln_mult, ln_Rinv by lra. rewrite <- (exp_ln (/ alpha)) at 1 by lra.
  rewrite ln_Rinv by lra. rewrite <- !exp_plus. f_equal. ring.
Qed.

(** The conversion: with Renyi divergence at most rho, eps costs this delta. *)
Definition conversion (alpha rho eps : R) : R :=
  / alpha * Rpower (1 - / alpha) (alpha - 1) * exp ((alpha - 1) * (rho - eps)).

Theorem renyi_approximate alpha rho eps : 1 < alpha ->
  (forall x, In x l -> 0 < p x) -> (forall x, In x l -> 0 < q x) -> l <> [] ->
  divergence p q l alpha <= rho -> approximate p q l eps (conversion alpha rho eps).
Proof.
  intros Ha Hp Hq Hl H. apply approximate_excess.
  apply divergence_moment in H; auto.
  unfold conversion.
  replace ((alpha - 1) * (rho - eps)) with (- (alpha - 1) * eps + (alpha - 1) * rho) by ring.
  rewrite exp_plus, <- Rmult_assoc.
  eapply Rle_trans; [|apply Rmult_le_compat_l; [|exact H]].
  - unfold moment. rewrite <- sum_scal. apply sum_le. intros x Hx.
    apply excess_moment; auto.
  - apply Rlt_le. repeat apply Rmult_lt_0_compat; try apply exp_pos.
    apply Rinv_0_lt_compat. lra.
Qed.
End Relations.
