(** The key swap: source runs laid over owners' ranges. Within a bucket the parts lie in ascending
    source GPU. A copy stands here for each piece of each part; the model merges neighbours of one
    source and destination that are contiguous at both ends, which leaves the positions as they are. *)

Require Export Input.

Record copy := Copy {
  src : N;
  src_off : N;       (**  position in the source's memory *)
  dst : N;
  dst_pos : N;       (**  global index in the sorted order; the offset is [dst_pos - base dst] *)
  amount : N
}.

(** Runs of keys: (GPU, count). *)
Notation run := (N * N)%type.

(** The common cuts of two lists of runs of the same total. *)
Fixpoint overlay (fuel : nat) (a b : list run) : list (N * N * N) :=
  match fuel, a, b with
  | S fuel', (x, n) :: a', (y, m) :: b' =>
      if n =? 0 then overlay fuel' a' b
      else if m =? 0 then overlay fuel' a b'
      else let t := N.min n m in
           (x, y, t) :: overlay fuel' ((x, n - t) :: a') ((y, m - t) :: b')
  | _, _, _ => []
  end.

Definition at_gpu (counters : list N) (x : N) : N := nth (N.to_nat x) counters 0.
Definition bump (counters : list N) (x t : N) : list N :=
  add_rows counters (repeat 0 (N.to_nat x) ++ [t]).

(** Copies in the order of the destination; a source sends from its memory in that order. *)
Fixpoint number (sent : list N) (pos : N) (l : list (N * N * N)) : list copy :=
  match l with
  | [] => []
  | (x, y, t) :: rest => Copy x (at_gpu sent x) y pos t :: number (bump sent x t) (pos + t) rest
  end.

Definition source_runs (g : N) (bs : list bucket) : list run :=
  flat_map (fun b => map (fun x => (x, at_gpu (parts b) x)) (up_to g)) bs.
Definition owner_runs (C : N) (bs : list bucket) : list run :=
  map (fun o => (owner o, piece_size o)) (flat_map (pieces_of C) bs).

Definition copies (C g : N) (l : list bucket) : list copy :=
  let a := source_runs g (finals l) in
  let b := owner_runs C (finals l) in
  number [] 0 (overlay (2 * (length a + length b)) a b).

(** ** Cutting runs *)

Definition amount_of (g : N) (l : list run) : N := total (map snd (filter (fun r => fst r =? g) l)).

(** [c] is [a] with runs cut in pieces, and empty runs left out. *)
Inductive splits : list run -> list run -> Prop :=
| splits_nil : splits [] []
| splits_zero x c a : splits c a -> splits c ((x, 0) :: a)
| splits_cut x t n c a : t <= n -> splits c ((x, n - t) :: a) -> splits ((x, t) :: c) ((x, n) :: a).

Definition weight (a : list run) : nat :=
  fold_right (fun r w => ((if (snd r =? 0)%N then 1 else 2) + w)%nat) 0%nat a.

Lemma weight_le a : (weight a <= 2 * length a)%nat.
Proof. induction a as [|r a IH]; simpl; [lia|]. destruct (snd r =? 0); simpl; lia. Qed.

Lemma splits_empty a : total (map snd a) = 0 -> splits [] a.
Proof.
  induction a as [|[x n] a IH]; simpl; intros H; [constructor|].
  assert (n = 0) by lia. subst. constructor. apply IH. lia.
Qed.

Definition left_run (c : N * N * N) : run := (fst (fst c), snd c).
Definition right_run (c : N * N * N) : run := (snd (fst c), snd c).

Lemma weight_zero x a : weight ((x, 0) :: a) = S (weight a).
Proof. reflexivity. Qed.
Lemma weight_some x n a : n <> 0 -> weight ((x, n) :: a) = S (S (weight a)).
Proof. intros H. simpl. now rewrite (proj2 (N.eqb_neq _ _) H). Qed.
Lemma weight_any x n a : (S (weight a) <= weight ((x, n) :: a) <= S (S (weight a)))%nat.
Proof. simpl. destruct (n =? 0); lia. Qed.

Lemma overlay_splits fuel : forall a b,
  (weight a + weight b <= fuel)%nat -> total (map snd a) = total (map snd b) ->
  splits (map left_run (overlay fuel a b)) a /\ splits (map right_run (overlay fuel a b)) b.
Proof.
  induction fuel as [|fuel IH]; intros [|[x n] a] [|[y m] b] Hw Ht.
  - split; constructor.
  - exfalso. pose proof (weight_any y m b). lia.
  - exfalso. pose proof (weight_any x n a). lia.
  - exfalso. pose proof (weight_any x n a). lia.
  - split; constructor.
  - split; [constructor|]. apply splits_empty. auto.
  - split; [|constructor]. apply splits_empty. auto.
  - simpl overlay.
    destruct (N.eqb_spec n 0) as [Hn|Hn].
    { subst. rewrite weight_zero in Hw. destruct (IH a ((y, m) :: b)) as [P Q]; auto; try lia.
      split; auto. now constructor. }
    destruct (N.eqb_spec m 0) as [Hm|Hm].
    { subst. rewrite weight_zero in Hw. destruct (IH ((x, n) :: a) b) as [P Q]; auto; try lia.
      split; auto. now constructor. }
    rewrite !weight_some in Hw by auto.
    destruct (IH ((x, n - N.min n m) :: a) ((y, m - N.min n m) :: b)) as [P Q].
    { pose proof (weight_any x (n - N.min n m) a). pose proof (weight_any y (m - N.min n m) b).
      destruct (N.le_gt_cases n m).
      - replace (n - N.min n m) with 0 in * by lia. rewrite weight_zero in *. lia.
      - replace (m - N.min n m) with 0 in * by lia. rewrite weight_zero in *. lia. }
    { cbn [map snd total] in *. lia. }
    split; cbn [map left_run right_run fst snd]; apply splits_cut; auto; simpl; lia.
Qed.

Lemma splits_amount g c a : splits c a -> amount_of g c = amount_of g a.
Proof.
  unfold amount_of. induction 1; simpl in *; auto.
  - destruct (x =? g); simpl; lia.
  - destruct (x =? g); simpl in *; lia.
Qed.

Lemma splits_below d c a : splits c a ->
  total (map snd (filter (fun r => fst r <? d) c)) = total (map snd (filter (fun r => fst r <? d) a)).
Proof.
  induction 1; simpl in *; auto.
  - destruct (x <? d); simpl; lia.
  - destruct (x <? d); simpl in *; lia.
Qed.

Lemma splits_from c a : splits c a -> forall r, In r c -> exists n, In (fst r, n) a.
Proof.
  induction 1; simpl in *; intros r Hr.
  - contradiction.
  - destruct (IHsplits r Hr) as [n Hn]. eauto.
  - destruct Hr as [<-|Hr]; simpl; eauto.
    destruct (IHsplits r Hr) as [m [Hm|Hm]]; [injection Hm as <- <-|]; eauto.
Qed.

Lemma splits_ascend c a : splits c a ->
  pairwise (fun r s => fst r <= fst s) a -> pairwise (fun r s => fst r <= fst s) c.
Proof.
  induction 1; simpl in *; intros P; auto.
  - apply IHsplits, P.
  - destruct P as [P Q]. split; [|apply IHsplits; split; auto].
    apply Forall_forall. intros r Hr. simpl. destruct (splits_from _ _ H0 r Hr) as [m [Hm|Hm]].
    + injection Hm as <- _. lia.
    + rewrite Forall_forall in P. apply (P _ Hm).
Qed.

(** ** What the copies carry *)

Lemma at_bump counters x t y :
  at_gpu (bump counters x t) y = at_gpu counters y + (if y =? x then t else 0).
Proof.
  unfold at_gpu, bump. rewrite nth_add_rows. f_equal.
  destruct (N.eqb_spec y x) as [->|H].
  - rewrite app_nth2; rewrite repeat_length; auto. now rewrite Nat.sub_diag.
  - assert (H' : N.to_nat y <> N.to_nat x) by lia. revert H'.
    generalize (N.to_nat y), (N.to_nat x). intros i k. revert i.
    induction k as [|k IH]; intros [|i]; simpl; intros; try lia; auto.
    destruct i; auto.
Qed.

Section Carry.
  Variable A : Type.
  Variable memory : N -> list A.  (* of each source before the swap *)

  Definition carry (cs : list copy) : list A :=
    flat_map (fun c => slice (src_off c) (amount c) (memory (src c))) cs.

  Fixpoint take_runs (sent : list N) (rs : list run) : list A :=
    match rs with
    | [] => []
    | (x, n) :: rest => slice (at_gpu sent x) n (memory x) ++ take_runs (bump sent x n) rest
    end.

  Lemma carry_number l : forall sent pos,
    carry (number sent pos l) = take_runs sent (map left_run l).
  Proof. induction l as [|[[x y] t] l IH]; simpl; intros; auto. unfold carry in *. now rewrite IH. Qed.

  Lemma take_runs_ext rs : forall s s', (forall x, at_gpu s x = at_gpu s' x) ->
    take_runs s rs = take_runs s' rs.
  Proof.
    induction rs as [|[x n] rs IH]; simpl; intros s s' H; auto.
    rewrite H. f_equal. apply IH. intros y. rewrite !at_bump, H. auto.
  Qed.

  Lemma take_runs_splits c a : splits c a -> forall sent, take_runs sent c = take_runs sent a.
  Proof.
    induction 1; simpl in *; intros sent; auto.
    - rewrite IHsplits. unfold slice. simpl. apply take_runs_ext.
      intros y. rewrite at_bump. destruct (y =? x); lia.
    - rewrite IHsplits, at_bump, N.eqb_refl, app_assoc.
      replace n with (t + (n - t)) at 3 by lia. rewrite slice_split. f_equal.
      apply take_runs_ext. intros y. rewrite !at_bump. destruct (y =? x); lia.
  Qed.

  Variable g : N.
  Variable part : bucket -> N -> list A.

  Lemma take_bucket b rest : forall gs sent pre post,
    NoDup gs ->
    (forall x, In x gs -> at_gpu sent x = size_of (pre x) /\ memory x = pre x ++ part b x ++ post x) ->
    take_runs sent (map (fun x => (x, size_of (part b x))) gs ++ rest) =
    flat_map (part b) gs ++
    take_runs (fold_left (fun s x => bump s x (size_of (part b x))) gs sent) rest.
  Proof.
    induction gs as [|x gs IH]; simpl; intros sent pre post Hn Hm; auto.
    inversion Hn as [|y z Hx Hgs]; subst.
    destruct (Hm x (or_introl eq_refl)) as [Ho Hmem].
    rewrite Ho, Hmem, slice_middle, <- app_assoc. f_equal.
    apply IH with (pre := pre) (post := post); auto.
    intros y Hy. rewrite at_bump. destruct (N.eqb_spec y x) as [->|]; [contradiction|].
    rewrite N.add_0_r. apply Hm. auto.
  Qed.

  Lemma fold_bump b x : forall gs sent, NoDup gs ->
    at_gpu (fold_left (fun s x => bump s x (size_of (part b x))) gs sent) x =
    at_gpu sent x + (if existsb (N.eqb x) gs then size_of (part b x) else 0).
  Proof.
    induction gs as [|y gs IH]; simpl; intros sent Hn; [lia|].
    inversion Hn as [|z w Hy Hgs]; subst. rewrite IH, at_bump by auto.
    destruct (N.eqb_spec x y) as [->|]; simpl; [|lia].
    destruct (existsb (N.eqb y) gs) eqn:Ex; [|lia].
    apply existsb_exists in Ex. destruct Ex as (z & Hz & Ez). apply N.eqb_eq in Ez. subst. contradiction.
  Qed.

  Lemma up_to_NoDup : NoDup (up_to g).
  Proof.
    unfold up_to. apply FinFun.Injective_map_NoDup; [|apply seq_NoDup].
    intros a b. apply Nnat.Nat2N.inj.
  Qed.

  Lemma take_buckets bs : forall sent pre,
    (forall b x, In b bs -> In x (up_to g) -> at_gpu (parts b) x = size_of (part b x)) ->
    (forall x, In x (up_to g) -> at_gpu sent x = size_of (pre x) /\
                                 memory x = pre x ++ flat_map (fun b => part b x) bs) ->
    take_runs sent (source_runs g bs) = flat_map (fun b => flat_map (part b) (up_to g)) bs.
  Proof.
    induction bs as [|b bs IH]; simpl; intros sent pre Hp Hm; auto.
    rewrite (map_ext_in _ (fun x => (x, size_of (part b x)))).
    2: { intros x Hx. rewrite Hp; auto. }
    erewrite take_bucket with (pre := pre); [|apply up_to_NoDup|exact Hm].
    f_equal. apply IH with (pre := fun x => pre x ++ part b x); auto.
    intros x Hx. destruct (Hm x Hx) as [H1 H2]. split; [|now rewrite <- app_assoc].
    rewrite fold_bump, H1, size_app by apply up_to_NoDup.
    replace (existsb (N.eqb x) (up_to g)) with true; auto.
    symmetry. apply existsb_exists. exists x. split; auto. apply N.eqb_refl.
  Qed.
End Carry.

(** ** Positions *)

Definition src_end (c : copy) : N := src_off c + amount c.
Definition dst_end (c : copy) : N := dst_pos c + amount c.

Lemma number_sources g l : forall sent pos,
  chain src_off src_end (at_gpu sent g) (filter (fun c => src c =? g) (number sent pos l))
        (at_gpu sent g + amount_of g (map left_run l)).
Proof.
  unfold amount_of. induction l as [|[[x y] t] l IH]; simpl; intros sent pos; [lia|].
  specialize (IH (bump sent x t) (pos + t)). rewrite at_bump in IH.
  rewrite (N.eqb_sym g x) in IH. destruct (N.eqb_spec x g) as [->|]; simpl in *.
  - split; [auto|split; [unfold src_end; simpl; lia|]].
    change (src_end (Copy g (at_gpu sent g) y pos t)) with (at_gpu sent g + t).
    rewrite N.add_assoc. exact IH.
  - rewrite N.add_0_r in IH. exact IH.
Qed.

Lemma number_destinations l : forall sent pos,
  chain dst_pos dst_end pos (number sent pos l) (pos + total (map snd l)).
Proof.
  induction l as [|[[x y] t] l IH]; simpl; intros sent pos; [lia|].
  split; [auto|split; [unfold dst_end; simpl; lia|]].
  change (dst_end (Copy x (at_gpu sent x) y pos t)) with (pos + t).
  rewrite N.add_assoc. apply IH.
Qed.

Lemma number_dst (P : N -> bool) l : forall sent pos,
  map (fun c => dst_end c - dst_pos c) (filter (fun c => P (dst c)) (number sent pos l)) =
  map snd (filter (fun r => P (fst r)) (map right_run l)).
Proof.
  induction l as [|[[x y] t] l IH]; simpl; intros sent pos; auto.
  destruct (P y); simpl; rewrite IH; auto. f_equal. unfold dst_end. simpl. lia.
Qed.

Lemma number_ascends l : forall sent pos,
  pairwise (fun r s => fst r <= fst s) (map right_run l) ->
  pairwise (fun a b => dst a <= dst b) (number sent pos l).
Proof.
  induction l as [|[[x y] t] l IH]; simpl; intros sent pos H; auto. destruct H as [P Q].
  split; auto. clear IH Q. revert P. generalize (bump sent x t) (pos + t).
  induction l as [|[[x' y'] t'] l IH]; simpl; intros s p P; [constructor|].
  inversion P; subst. constructor; simpl; auto.
Qed.
