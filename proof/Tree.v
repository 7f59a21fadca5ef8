(** Picks (or answers) one after another: a finite tree of histories. *)
From Coq Require Export Lia.
From DP Require Export Privacy.

(** A history lists the picks so far, latest first.  After history [h] the next pick is
    one of [menu h]; if that is empty, it is over. *)
Fixpoint continuations {U} (menu : list U -> list U) (n : nat) (h : list U) : list (list U) :=
  match n, menu h with
  | S n, (_ :: _) as us => flat_map (fun u => continuations menu n (u :: h)) us
  | _, _ => [h]
  end.

(** All histories of [T] rounds, or fewer where it is over before. *)
Definition transcripts {U} (menu : list U -> list U) (T : nat) := continuations menu T [].

(** The probability of a history when [u] is picked after [h] with probability [p h u]. *)
Fixpoint likelihood {U} (p : list U -> U -> R) (h : list U) : R :=
  match h with [] => 1 | u :: h => likelihood p h * p h u end.

(** What adds up along a history. *)
Fixpoint total {U} (D : list U -> U -> R) (h : list U) : R :=
  match h with [] => 0 | u :: h => D h u + total D h end.

Section Tree.
Context {U : Type} (menu : list U -> list U).
Notation hist := (list U).

Lemma continuations_S n h : menu h <> [] ->
  continuations menu (S n) h = flat_map (fun u => continuations menu n (u :: h)) (menu h).
Proof. simpl. destruct (menu h); [now intros []|reflexivity]. Qed.

Lemma continuations_end n h : menu h = [] -> continuations menu n h = [h].
Proof. intros E. destruct n; simpl; [|rewrite E]; reflexivity. Qed.

Lemma menu_dec h : {menu h = []} + {menu h <> []}.
Proof. destruct (menu h); [left|right]; congruence. Qed.

(** The first continuation: there is always one. *)
Lemma continuations_ex n h : exists h', In h' (continuations menu n h).
Proof.
  revert h. induction n as [|n IH]; intros h; [now exists h; left|].
  destruct (menu_dec h) as [E|E].
  - exists h. rewrite continuations_end by auto. now left.
  - rewrite continuations_S by auto. destruct (menu h) as [|u us]; [easy|].
    destruct (IH (u :: h)) as [h' H]. exists h'. apply in_flat_map. exists u. now split; [left|].
Qed.

Lemma transcripts_not_nil T : transcripts menu T <> [].
Proof. destruct (continuations_ex T []) as [h H]. exact (in_not_nil _ _ H). Qed.

(** A property that each of the first [N] picks preserves holds for all continuations. *)
Lemma continuations_ind (Q : nat -> hist -> Prop) N :
  (forall n h u, (n < N)%nat -> Q n h -> In u (menu h) -> Q (S n) (u :: h)) ->
  forall n m h0 h, (n + m <= N)%nat -> Q m h0 -> In h (continuations menu n h0) ->
  exists k, (k <= n + m)%nat /\ Q k h.
Proof.
  intros QS. induction n as [|n IH]; intros m h0 h HN H0 Hin.
  - destruct Hin as [<-|[]]. now exists m.
  - destruct (menu_dec h0) as [E|E].
    { rewrite continuations_end in Hin by auto. destruct Hin as [<-|[]].
      exists m. split; [lia|auto]. }
    rewrite continuations_S in Hin by auto. apply in_flat_map in Hin.
    destruct Hin as (u & Hu & Hin). apply (IH (S m)) in Hin; [|lia|apply QS; auto; lia].
    destruct Hin as (k & Hk & HQ). exists k. split; [lia|auto].
Qed.

Lemma transcripts_ind (Q : nat -> hist -> Prop) T : Q 0%nat [] ->
  (forall n h u, (n < T)%nat -> Q n h -> In u (menu h) -> Q (S n) (u :: h)) ->
  forall h, In h (transcripts menu T) -> exists n, (n <= T)%nat /\ Q n h.
Proof.
  intros Q0 QS h Hin. destruct (continuations_ind Q T QS T 0 [] h) as (n & Hn & H); auto.
  - lia.
  - exists n. split; [lia|auto].
Qed.

(** A total only grows, so what is within a limit at the end was within it before. *)
Lemma total_before (D : hist -> U -> R) A n h :
  (forall h u, In u (menu h) -> 0 <= D h u) ->
  (forall h', In h' (continuations menu n h) -> total D h' <= A) -> total D h <= A.
Proof.
  intros HD HA. destruct (continuations_ex n h) as [h' Hh].
  destruct (continuations_ind (fun _ h' => total D h <= total D h') n) with
    (n := n) (m := 0%nat) (h0 := h) (h := h') as (k & _ & H); auto; [|lia|lra|].
  - intros _ h0 u _ H Hu. cbn [total]. pose proof (HD h0 u Hu). lra.
  - pose proof (HA h' Hh). lra.
Qed.

(** The same addition in each of [T] rounds. *)
Lemma total_rounds k (D : hist -> U -> R) T h : In h (transcripts menu T) -> 0 <= k ->
  total (fun h u => k + D h u) h <= INR T * k + total D h.
Proof.
  intros Hin Hk. destruct (transcripts_ind (fun n h =>
    total (fun h u => k + D h u) h <= INR n * k + total D h) T) with (h := h)
    as (n & Hn & H); auto; [simpl; lra|intros; cbn [total]; rewrite S_INR; lra|].
  apply le_INR in Hn. nra.
Qed.

Lemma total_same k h : total (fun (_ : hist) (_ : U) => k) h = INR (length h) * k.
Proof.
  induction h as [|u h IH]; [simpl; ring|]. cbn [total length]. rewrite IH, S_INR. ring.
Qed.

Lemma transcripts_length T h : In h (transcripts menu T) -> (length h <= T)%nat.
Proof.
  intros Hin. destruct (transcripts_ind (fun n h => length h = n) T) with (h := h)
    as (n & Hn & H); auto; [intros; simpl; congruence|congruence].
Qed.

(** The induction behind every bound: [V] is at least [phi] at the end, and its sum over
    the next picks is no more than before. [Inv n h] may be assumed with [n] rounds to go. *)
Lemma tree_bound (phi V : hist -> R) (Inv : nat -> hist -> Prop) :
  (forall n h, Inv n h -> phi h <= V h) ->
  (forall n h u, Inv (S n) h -> In u (menu h) -> Inv n (u :: h)) ->
  (forall n h, Inv (S n) h -> menu h <> [] -> sum (fun u => V (u :: h)) (menu h) <= V h) ->
  forall n h, Inv n h -> sum phi (continuations menu n h) <= V h.
Proof.
  intros Hend Hinv Hstep. induction n as [|n IH]; intros h Hh.
  - simpl. pose proof (Hend _ _ Hh). lra.
  - destruct (menu_dec h) as [E|E].
    + rewrite continuations_end by auto. simpl. pose proof (Hend _ _ Hh). lra.
    + rewrite continuations_S, sum_flat_map by auto.
      eapply Rle_trans; [|apply (Hstep n); auto]. apply sum_le. intros u Hu. apply IH; eauto.
Qed.

Section Likelihood.
Variable p : hist -> U -> R.
Hypothesis p_pos : forall h u, In u (menu h) -> 0 < p h u.
Hypothesis p_sum : forall h, menu h <> [] -> sum (p h) (menu h) = 1.

Lemma likelihood_pos T h : In h (transcripts menu T) -> 0 < likelihood p h.
Proof.
  intros Hin. destruct (transcripts_ind (fun _ h => 0 < likelihood p h) T) with (h := h)
    as (n & _ & H); auto; simpl; [lra|].
  intros _ h0 u _ H Hu. apply Rmult_lt_0_compat; auto.
Qed.

(** If a pick multiplies the ratio to another process by at most e^cost, the transcript
    does by at most e^(total cost). *)
Lemma likelihood_pure (q cost : hist -> U -> R) T eps :
  (forall h u, In u (menu h) -> 0 < q h u) ->
  (forall h u, In u (menu h) -> p h u <= exp (cost h u) * q h u) ->
  (forall h, In h (transcripts menu T) -> total cost h <= eps) ->
  pure (likelihood p) (likelihood q) (transcripts menu T) eps.
Proof.
  intros Hq Hcost Heps h Hin.
  destruct (transcripts_ind (fun _ h => 0 < likelihood q h /\
    likelihood p h <= exp (total cost h) * likelihood q h) T) with (h := h)
    as (n & _ & Hpos & H); auto.
  - simpl. rewrite exp_0. lra.
  - intros _ h0 u _ [Hpos H0] Hu. cbn [likelihood total].
    pose proof (Hq h0 u Hu). pose proof (p_pos h0 u Hu). pose proof (Hcost h0 u Hu).
    split; [now apply Rmult_lt_0_compat|]. rewrite exp_plus.
    pose proof (exp_pos (total cost h0)).
    apply Rle_trans with (exp (total cost h0) * likelihood q h0 * p h0 u); [nra|].
    replace (exp (cost h0 u) * exp (total cost h0) * (likelihood q h0 * q h0 u))
      with (exp (total cost h0) * likelihood q h0 * (exp (cost h0 u) * q h0 u)) by ring.
    apply Rmult_le_compat_l; [nra|auto].
  - eapply Rle_trans; [exact H|]. apply Rmult_le_compat_r; [lra|]. now apply exp_le, Heps.
Qed.

(** It is a probability distribution on the transcripts. *)
Lemma likelihood_sum T : sum (likelihood p) (transcripts menu T) = 1.
Proof.
  unfold transcripts. change 1 with (likelihood p []). generalize (@nil U) as h.
  induction T as [|n IH]; intros h; [simpl; lra|].
  destruct (menu_dec h) as [E|E].
  - rewrite continuations_end by auto. simpl. lra.
  - rewrite continuations_S, sum_flat_map by auto.
    transitivity (sum (fun u => likelihood p h * p h u) (menu h)).
    + apply sum_ext. intros u. now rewrite IH.
    + rewrite sum_scal, p_sum by auto. ring.
Qed.
End Likelihood.
End Tree.
