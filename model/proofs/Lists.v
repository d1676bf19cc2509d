(** Lists, sums and orders that the other files need. *)

Require Export List Arith NArith Bool Lia Permutation Sorted.
Export ListNotations.
Open Scope N_scope.

(** ** Pairs in order *)

(** Every earlier element stands in [R] to every later one. *)
Fixpoint pairwise {A} (R : A -> A -> Prop) (l : list A) : Prop :=
  match l with
  | [] => True
  | a :: rest => Forall (R a) rest /\ pairwise R rest
  end.

Lemma pairwise_app {A} (R : A -> A -> Prop) l1 l2 :
  pairwise R (l1 ++ l2) <->
  pairwise R l1 /\ pairwise R l2 /\ (forall a b, In a l1 -> In b l2 -> R a b).
Proof.
  induction l1 as [|a l1 IH]; simpl.
  - intuition.
  - rewrite Forall_app, IH. repeat rewrite Forall_forall.
    intuition (subst; auto).
Qed.

Lemma pairwise_weaken {A} (R S : A -> A -> Prop) l :
  (forall a b, In a l -> In b l -> R a b -> S a b) -> pairwise R l -> pairwise S l.
Proof.
  induction l as [|a l IH]; simpl; [auto|].
  intros H [Ha Hl]. split.
  - rewrite Forall_forall in *. auto.
  - apply IH; auto.
Qed.

Lemma pairwise_filter {A} (R : A -> A -> Prop) f l : pairwise R l -> pairwise R (filter f l).
Proof.
  induction l as [|a l IH]; simpl; [auto|].
  intros [Ha Hl]. destruct (f a); simpl; auto. split; auto.
  rewrite Forall_forall in *. intros x Hx. apply filter_In in Hx. apply Ha, Hx.
Qed.

(** ** Sums *)

Fixpoint total (l : list N) : N := match l with [] => 0 | a :: rest => a + total rest end.

Definition size_of {A} (l : list A) : N := N.of_nat (length l).

Lemma size_app {A} (a b : list A) : size_of (a ++ b) = size_of a + size_of b.
Proof. unfold size_of. rewrite app_length. lia. Qed.

Lemma size_cons {A} (a : A) l : size_of (a :: l) = 1 + size_of l.
Proof. unfold size_of. simpl length. lia. Qed.

Lemma total_app a b : total (a ++ b) = total a + total b.
Proof. induction a; simpl; lia. Qed.

(** Sums place by place; the shorter list counts as filled up with zeros. *)
Fixpoint add_rows (a b : list N) : list N :=
  match a, b with
  | [], _ => b
  | _, [] => a
  | x :: a', y :: b' => (x + y) :: add_rows a' b'
  end.

Definition sums (rows : list (list N)) : list N := fold_right add_rows [] rows.

Lemma nth_add_rows i : forall a b, nth i (add_rows a b) 0 = nth i a 0 + nth i b 0.
Proof.
  induction i; intros [|x a] [|y b]; simpl; try lia. apply IHi.
Qed.

Lemma total_add_rows a : forall b, total (add_rows a b) = total a + total b.
Proof. induction a; intros [|y b]; simpl; try lia. rewrite IHa. lia. Qed.

Lemma nth_sums_app i a b : nth i (sums (a ++ b)) 0 = nth i (sums a) 0 + nth i (sums b) 0.
Proof.
  induction a as [|x a IH]; simpl.
  - destruct i; reflexivity.
  - rewrite !nth_add_rows, IH. lia.
Qed.

Lemma total_sums rows : total (sums rows) = total (map total rows).
Proof. induction rows; simpl; [reflexivity|]. rewrite total_add_rows. lia. Qed.

Lemma total_zero_nth l : total l = 0 -> forall i, nth i l 0 = 0.
Proof.
  induction l as [|a l IH]; simpl; intros H i; destruct i; try lia. apply IH. lia.
Qed.

(** ** Ranges that follow each other *)

(** The ranges [lo, hi) of [l] follow each other from [s] to [e] without gap or overlap. *)
Fixpoint chain {A} (lo hi : A -> N) (s : N) (l : list A) (e : N) : Prop :=
  match l with
  | [] => s = e
  | a :: rest => lo a = s /\ s <= hi a /\ chain lo hi (hi a) rest e
  end.

Lemma chain_app {A} (lo hi : A -> N) l1 : forall l2 s m e,
  chain lo hi s l1 m -> chain lo hi m l2 e -> chain lo hi s (l1 ++ l2) e.
Proof.
  induction l1 as [|a l1 IH]; simpl; intros l2 s m e H1 H2.
  - now subst.
  - destruct H1 as (H & H' & H''). eauto.
Qed.

Lemma chain_le {A} (lo hi : A -> N) l : forall s e, chain lo hi s l e -> s <= e.
Proof.
  induction l as [|a l IH]; simpl; intros s e H; [lia|].
  destruct H as (H & H' & H''). apply IH in H''. lia.
Qed.

Lemma chain_bounds {A} (lo hi : A -> N) l : forall s e a,
  chain lo hi s l e -> In a l -> s <= lo a /\ lo a <= hi a /\ hi a <= e.
Proof.
  induction l as [|b l IH]; simpl; intros s e a H []; destruct H as (H & H' & H'').
  - subst b. apply chain_le in H''. lia.
  - specialize (IH _ _ _ H'' H0). lia.
Qed.

(** Exactly one range of the chain holds each position. *)
Definition holds {A} (lo hi : A -> N) (x : N) (a : A) : bool := (lo a <=? x) && (x <? hi a).

Lemma chain_holds {A} (lo hi : A -> N) x l : forall s e,
  chain lo hi s l e ->
  length (filter (holds lo hi x) l) = (if (s <=? x) && (x <? e) then 1%nat else 0%nat).
Proof.
  induction l as [|a l IH]; simpl; intros s e H.
  - subst. destruct (N.leb_spec e x), (N.ltb_spec x e); simpl; auto; lia.
  - destruct H as (H & H' & H''). pose proof (chain_le _ _ _ _ _ H'') as Hle.
    unfold holds at 1. rewrite H.
    specialize (IH _ _ H'').
    destruct (N.leb_spec s x), (N.ltb_spec x (hi a)), (N.ltb_spec x e), (N.leb_spec (hi a) x);
      simpl in *; rewrite ?IH; auto; lia.
Qed.

(** ** Filters *)

Lemma filter_all {A} (f : A -> bool) l : (forall a, In a l -> f a = true) -> filter f l = l.
Proof.
  induction l as [|a l IH]; simpl; intros H; [auto|].
  rewrite (H a) by auto. f_equal. auto.
Qed.

Lemma filter_none {A} (f : A -> bool) l : (forall a, In a l -> f a = false) -> filter f l = [].
Proof.
  induction l as [|a l IH]; simpl; intros H; [auto|].
  rewrite (H a) by auto. auto.
Qed.

(** If owners ascend along a chain, what one of them owns is a chain, too. *)
Lemma class_contiguous {A} (own lo hi : A -> N) d l : forall s e,
  chain lo hi s l e -> pairwise (fun a b => own a <= own b) l ->
  chain lo hi (s + total (map (fun a => hi a - lo a) (filter (fun a => own a <? d) l)))
        (filter (fun a => own a =? d) l)
        (s + total (map (fun a => hi a - lo a) (filter (fun a => own a <? d) l))
           + total (map (fun a => hi a - lo a) (filter (fun a => own a =? d) l))).
Proof.
  induction l as [|o os IH]; simpl; intros s e Hc Hp; [lia|].
  destruct Hc as (H1 & H2 & H3). destruct Hp as [P Q]. specialize (IH _ _ H3 Q).
  rewrite Forall_forall in P.
  set (size := fun a => hi a - lo a) in *.
  assert (Hs : s + size o = hi o) by (unfold size; lia).
  destruct (N.lt_trichotomy (own o) d) as [Hl|[He|Hl]].
  - rewrite (proj2 (N.ltb_lt _ _)), (proj2 (N.eqb_neq _ _)) by lia. simpl.
    rewrite N.add_assoc, Hs. exact IH.
  - assert (Z : filter (fun a => own a <? d) os = []).
    { apply filter_none. intros a Ha. specialize (P a Ha). simpl in P. apply N.ltb_ge. lia. }
    rewrite (proj2 (N.ltb_ge _ _)), (proj2 (N.eqb_eq _ _)) by lia. rewrite Z in *. simpl in *.
    rewrite !N.add_0_r in *. repeat split; auto. rewrite N.add_assoc, Hs. exact IH.
  - assert (Z : filter (fun a => own a <? d) os = []).
    { apply filter_none. intros a Ha. specialize (P a Ha). simpl in P. apply N.ltb_ge. lia. }
    assert (Z' : filter (fun a => own a =? d) os = []).
    { apply filter_none. intros a Ha. specialize (P a Ha). simpl in P. apply N.eqb_neq. lia. }
    rewrite (proj2 (N.ltb_ge _ _)), (proj2 (N.eqb_neq _ _)) by lia. rewrite Z, Z'. simpl. lia.
Qed.


Lemma filter_filter {A} (f g : A -> bool) l :
  filter f (filter g l) = filter (fun a => g a && f a) l.
Proof.
  induction l as [|a l IH]; simpl; [auto|].
  destruct (g a) eqn:G; simpl; [destruct (f a)|]; rewrite IH; auto.
Qed.

Lemma filter_split {A} (f : A -> bool) l :
  Permutation (filter f l ++ filter (fun a => negb (f a)) l) l.
Proof.
  induction l as [|a l IH]; simpl; [auto|].
  destruct (f a); simpl.
  - now constructor.
  - rewrite <- Permutation_middle. now constructor.
Qed.

Lemma filter_concat {A} (f : A -> bool) ls : filter f (concat ls) = concat (map (filter f) ls).
Proof. induction ls; simpl; [auto|]. now rewrite filter_app, IHls. Qed.

Lemma filter_flat_map {A B} (f : B -> bool) (g : A -> list B) l :
  filter f (flat_map g l) = flat_map (fun a => filter f (g a)) l.
Proof. induction l; simpl; [auto|]. now rewrite filter_app, IHl. Qed.

Lemma Permutation_filter {A} (f : A -> bool) l l' :
  Permutation l l' -> Permutation (filter f l) (filter f l').
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto using perm_swap.
  - eauto using Permutation_trans.
Qed.

(** Disjoint classes that together have as many elements as the list divide it. *)
Lemma classes_permute {A B} (is : B -> A -> bool) (l : list A) (classes : list B) :
  pairwise (fun b c => forall a, is b a = true -> is c a = true -> False) classes ->
  total (map (fun b => size_of (filter (is b) l)) classes) = size_of l ->
  Permutation (flat_map (fun b => filter (is b) l) classes) l.
Proof.
  intros Hdis Hsize.
  assert (H : forall l, Permutation
    (flat_map (fun b => filter (is b) l) classes ++
     filter (fun a => forallb (fun b => negb (is b a)) classes) l) l).
  { clear Hsize. induction classes as [|b classes IH]; intros m; simpl.
    - rewrite filter_all; auto.
    - destruct Hdis as [Hb Hrest]. specialize (IH Hrest (filter (fun a => negb (is b a)) m)).
      rewrite filter_filter in IH.
      etransitivity; [|apply (filter_split (is b))].
      rewrite <- app_assoc. apply Permutation_app_head.
      etransitivity; [|exact IH]. apply Permutation_app_tail.
      replace (flat_map (fun c => filter (is c) (filter (fun a => negb (is b a)) m)) classes)
        with (flat_map (fun c => filter (is c) m) classes); [reflexivity|].
      rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros c Hc.
      rewrite filter_filter. apply filter_ext_in. intros a _.
      rewrite Forall_forall in Hb. specialize (Hb c Hc a).
      destruct (is b a), (is c a); simpl; auto. exfalso. auto. }
  specialize (H l).
  assert (E : length (flat_map (fun b => filter (is b) l) classes) = length l).
  { assert (size_of (flat_map (fun b => filter (is b) l) classes) = size_of l).
    { rewrite <- Hsize. clear. induction classes; simpl; [auto|].
      rewrite size_app, IHclasses. auto. }
    unfold size_of in *. lia. }
  pose proof (Permutation_length H) as L. rewrite app_length, E in L.
  destruct (filter (fun a => forallb _ classes) l); simpl in *; [|lia].
  now rewrite app_nil_r in H.
Qed.

Lemma flat_map_all_nil {A B} (f : A -> list B) l :
  (forall a, In a l -> f a = []) -> flat_map f l = [].
Proof.
  induction l as [|a l IH]; simpl; intros H; [auto|]. rewrite H, IH; auto.
Qed.

(** ** Sorted lists *)

Lemma sorted_app {A} (R : A -> A -> Prop) l1 l2 :
  StronglySorted R l1 -> StronglySorted R l2 -> (forall a b, In a l1 -> In b l2 -> R a b) ->
  StronglySorted R (l1 ++ l2).
Proof.
  induction 1; simpl; intros H2 H3; auto.
  constructor; auto. rewrite Forall_app. split; auto. apply Forall_forall; auto.
Qed.

(** ** Slices *)

Definition slice {A} (from count : N) (l : list A) : list A :=
  firstn (N.to_nat count) (skipn (N.to_nat from) l).

Lemma slice_all {A} (l : list A) : slice 0 (size_of l) l = l.
Proof. unfold slice, size_of. rewrite Nnat.Nat2N.id. apply firstn_all. Qed.

Lemma skipn_skipn' {A} a : forall b (l : list A), skipn a (skipn b l) = skipn (b + a) l.
Proof.
  intros b. induction b; intros l; simpl; auto. destruct l; simpl; auto. apply skipn_nil.
Qed.

Lemma firstn_add {A} a : forall b (l : list A), firstn (a + b) l = firstn a l ++ firstn b (skipn a l).
Proof. induction a; intros b [|x l]; simpl; auto. - now rewrite firstn_nil. - now rewrite IHa. Qed.

Lemma slice_split {A} (from a b : N) (l : list A) :
  slice from (a + b) l = slice from a l ++ slice (from + a) b l.
Proof.
  unfold slice. rewrite !Nnat.N2Nat.inj_add, firstn_add, skipn_skipn'. auto.
Qed.

Lemma slice_size {A} (from count : N) (l : list A) :
  from + count <= size_of l -> size_of (slice from count l) = count.
Proof.
  unfold slice, size_of. intros H. rewrite firstn_length, skipn_length. lia.
Qed.

Lemma slice_In {A} (from count : N) (l : list A) a : In a (slice from count l) -> In a l.
Proof.
  unfold slice. intros H.
  rewrite <- (firstn_skipn (N.to_nat from) l). apply in_app_iff. right.
  rewrite <- (firstn_skipn (N.to_nat count) (skipn (N.to_nat from) l)). apply in_app_iff. auto.
Qed.

Lemma slice_middle {A} (a b c : list A) : slice (size_of a) (size_of b) (a ++ b ++ c) = b.
Proof.
  unfold slice, size_of. rewrite !Nnat.Nat2N.id.
  rewrite skipn_app, skipn_all, Nat.sub_diag. simpl.
  rewrite firstn_app, firstn_all, Nat.sub_diag. simpl. apply app_nil_r.
Qed.
