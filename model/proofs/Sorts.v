(** RMG sort reads digits, sample sort compares with splitters: two bucket functions. *)

Require Export Sorting.

(** ** Chunks of an input *)

Definition chunks_of {A} (C g : N) (X : list A) : list (list A) :=
  map (fun i => slice (i * C) C X) (up_to g).

Lemma chunks_fit_C {A} C g (X : list A) chunk : In chunk (chunks_of C g X) -> size_of chunk <= C.
Proof.
  intros H. apply in_map_iff in H. destruct H as (i & <- & _).
  unfold slice, size_of. rewrite firstn_length. lia.
Qed.

Lemma concat_chunks {A} C g (X : list A) : size_of X <= g * C -> concat (chunks_of C g X) = X.
Proof.
  intros H. unfold chunks_of, up_to.
  assert (P : forall k, concat (map (fun i => slice (i * C) C X) (map N.of_nat (seq 0 k))) =
                        slice 0 (N.of_nat k * C) X).
  { induction k as [|k IH]; [reflexivity|].
    rewrite seq_S, !map_app, concat_app, IH. simpl concat. rewrite app_nil_r.
    replace (N.of_nat (S k) * C) with (N.of_nat k * C + C) by lia. now rewrite slice_split. }
  rewrite P, Nnat.N2Nat.id. unfold slice. simpl. apply firstn_all2. unfold size_of in H. lia.
Qed.

Lemma chunk_size_enough n g : 0 < g -> n <= g * chunk_size n g.
Proof.
  intros H. unfold chunk_size. pose proof (N.div_mod (n + g - 1) g ltac:(lia)).
  pose proof (N.mod_lt (n + g - 1) g ltac:(lia)). nia.
Qed.

Lemma chunk_size_positive n g : 0 < n -> 0 < g -> 0 < chunk_size n g.
Proof. intros. pose proof (chunk_size_enough n g). nia. Qed.

(** E = floor(C ppm / 1,000,000). *)
Definition tolerance (C ppm : N) : N := C * ppm / 1000000.

(** ** Digits *)

Section Digits.
  Variables k c : N.          (* bits of a key and of a digit *)
  Hypothesis c_positive : 0 < c.

  (** Bits below the digits of passes 1 to q. The last digit may be shorter than the others. *)
  Definition bits_below (q : N) : N := k - q * c.
  Definition bits_of (q : N) : N := bits_below (q - 1) - bits_below q.
  (** The digit that pass q reads. *)
  Definition digit (q x : N) : N := x / 2 ^ bits_below q mod 2 ^ bits_of q.
  (** ceil(k / c). *)
  Definition digit_passes : nat := N.to_nat ((k + c - 1) / c).

  Definition digit_child (p : path) (x : N) : N := digit (size_of p + 1) x.
  Definition digit_ways (p : path) : N := 2 ^ bits_of (size_of p + 1).
  Definition digits_read (p : path) : bool := (digit_passes <=? length p)%nat.

  (** All digits of a bucket's name, right-aligned. *)
  Fixpoint prefix (p : path) : N :=
    match p with [] => 0 | j :: p' => prefix p' * 2 ^ bits_of (size_of p' + 1) + j end.

  Lemma two_power a : 2 ^ a <> 0.
  Proof. apply N.pow_nonzero. lia. Qed.

  Lemma next_digit q x :
    x / 2 ^ bits_below (q + 1) = x / 2 ^ bits_below q * 2 ^ bits_of (q + 1) + digit (q + 1) x.
  Proof.
    unfold digit, bits_of. replace (q + 1 - 1) with q by lia.
    set (a := bits_below (q + 1)). set (b := bits_below q - a).
    assert (Hq : bits_below q = a + b).
    { unfold b, a, bits_below. replace ((q + 1) * c) with (q * c + c) by lia. lia. }
    rewrite Hq, N.pow_add_r, <- N.div_div by apply two_power.
    rewrite N.mul_comm. apply N.div_mod, two_power.
  Qed.

  Lemma inside_prefix p : forall x, inside (2 ^ k) digit_child p x = true ->
    x / 2 ^ bits_below (size_of p) = prefix p.
  Proof.
    induction p as [|j p IH]; simpl; intros x H.
    - apply N.ltb_lt in H. unfold bits_below, size_of. simpl. rewrite N.sub_0_r. now apply N.div_small.
    - apply andb_prop in H. destruct H as [H Hj]. apply N.eqb_eq in Hj. unfold digit_child in Hj.
      replace (size_of (j :: p)) with (size_of p + 1) by (rewrite size_cons; apply N.add_comm).
      now rewrite next_digit, (IH x H), Hj.
  Qed.

  Lemma digits_ascend : monotone (2 ^ k) digit_child.
  Proof.
    intros p x y Hx Hy Hle. apply inside_prefix in Hx, Hy. unfold digit_child.
    pose proof (next_digit (size_of p) x) as X. pose proof (next_digit (size_of p) y) as Y.
    assert (x / 2 ^ bits_below (size_of p + 1) <= y / 2 ^ bits_below (size_of p + 1)).
    { apply N.div_le_mono; auto. apply two_power. }
    rewrite Hx in X. rewrite Hy in Y. lia.
  Qed.

  Lemma nothing_below p : digits_read p = true -> bits_below (size_of p) = 0.
  Proof.
    unfold digits_read, digit_passes, bits_below, size_of. intros H. apply Nat.leb_le in H.
    pose proof (N.div_mod (k + c - 1) c ltac:(lia)). pose proof (N.mod_lt (k + c - 1) c ltac:(lia)).
    set (q := (k + c - 1) / c) in *.
    assert (q <= N.of_nat (length p)) by lia.
    assert (q * c <= N.of_nat (length p) * c) by (apply N.mul_le_mono_r; auto). nia.
  Qed.

  Lemma digits_single : one_value (2 ^ k) digit_child digits_read.
  Proof.
    intros p x y S Hx Hy. apply inside_prefix in Hx, Hy. rewrite (nothing_below p S) in *.
    rewrite N.div_1_r in *. congruence.
  Qed.

  Lemma digits_refine A (image : A -> N) :
    (forall a, image a < 2 ^ k) -> refinement A image (2 ^ k) digit_child digit_ways digits_read.
  Proof.
    intros H. split; auto using digits_ascend, digits_single.
    - intros p x _. apply N.mod_lt, two_power.
    - intros p. apply N.neq_0_lt_0, two_power.
  Qed.

  Lemma digits_end : 0 < k -> passes_end digits_read digit_passes.
  Proof.
    intros H. split.
    - unfold digit_passes. assert (1 <= (k + c - 1) / c) by (apply N.div_le_lower_bound; lia). lia.
    - intros p Hp. now apply Nat.leb_le.
  Qed.
End Digits.

(** RMG sort: for every key width, digit width, number of GPUs, tolerance and input. *)
Theorem rmg_sort A (image : A -> N) (k c g ppm : N) (X : list A) :
  (forall a, image a < 2 ^ k) -> 0 < k -> 0 < c -> 0 < g -> X <> [] ->
  let C := chunk_size (size_of X) g in
  let E := tolerance C ppm in
  let input := chunks_of C g X in
  exists l,
    input_plan A image (2 ^ k) (digit_child k c) (digit_ways k c) (digits_read k c) C E
      (digit_passes k c) input = Some l /\
    right A image (2 ^ k) (digit_child k c) C E (digit_passes k c) input l /\
    concat input = X.
Proof.
  intros Him Hk Hc Hg HX. cbv zeta.
  set (C := chunk_size (size_of X) g).
  assert (Hn : 0 < size_of X) by (destruct X; [congruence|rewrite size_cons; lia]).
  destruct (every_sort A image (2 ^ k) (digit_child k c) (digit_ways k c) (digits_read k c) C
              (tolerance C ppm) (digit_passes k c) (chunks_of C g X)) as (l & H1 & H2).
  - now apply digits_refine.
  - now apply chunk_size_positive.
  - intros chunk. apply chunks_fit_C.
  - now apply digits_end.
  - exists l. split; [auto|split; [auto|]]. apply concat_chunks. now apply chunk_size_enough.
Qed.

(** ** Splitters *)

(** A bucket function as the first image of each of its buckets but the first; [m] edges make
    [m + 1] buckets; some may be empty. Splitters s_1, s_2, ... without equality buckets
    are the edges s_1 + 1, s_2 + 1, ... (a key that equals a splitter lies to its left); a splitter s
    with an equality bucket gives the two edges s and s + 1. *)
Fixpoint edge_child (edges : list N) (x : N) : N :=
  match edges with
  | [] => 0
  | e :: rest => if x <? e then 0 else edge_child rest x + 1
  end.

Lemma edge_child_ascends edges : forall x y, x <= y -> edge_child edges x <= edge_child edges y.
Proof.
  induction edges as [|e rest IH]; simpl; intros x y H; [lia|].
  destruct (N.ltb_spec x e), (N.ltb_spec y e); try lia.
  specialize (IH x y H). lia.
Qed.

Lemma edge_child_range edges x : edge_child edges x < size_of edges + 1.
Proof.
  induction edges as [|e rest IH]; [unfold size_of; simpl; lia|].
  rewrite size_cons. cbn [edge_child]. destruct (x <? e); lia.
Qed.

(** First and last image of child [j], where the bucket holds images from [lo] to [hi]. *)
Definition edge_below (edges : list N) (j lo : N) : N :=
  if j =? 0 then lo else N.max lo (nth (N.to_nat (j - 1)) edges 0).
Definition edge_above (edges : list N) (j hi : N) : N :=
  match nth_error edges (N.to_nat j) with Some e => N.min hi (e - 1) | None => hi end.

Lemma edge_child_between edges : forall j x lo hi, lo <= x <= hi -> edge_child edges x = j ->
  edge_below edges j lo <= x <= edge_above edges j hi.
Proof.
  unfold edge_below, edge_above.
  induction edges as [|e rest IH]; intros j x lo hi H Hj; cbn [edge_child] in Hj.
  - subst. simpl. lia.
  - destruct (N.ltb_spec x e); subst j; [simpl; lia|].
    specialize (IH (edge_child rest x) x lo hi H eq_refl).
    generalize dependent (edge_child rest x). intros c IH.
    rewrite (proj2 (N.eqb_neq (c + 1) 0)) by lia.
    replace (c + 1 - 1) with c by lia. replace (N.to_nat (c + 1)) with (S (N.to_nat c)) by lia.
    cbn [nth_error]. split; [|apply IH].
    destruct (N.eqb_spec c 0) as [Z|Z]; [rewrite Z; simpl; lia|].
    replace (N.to_nat c) with (S (N.to_nat (c - 1))) by lia. cbn [nth]. apply IH.
Qed.

Section Edges.
  Variable top : N.
  Variable edges : path -> list N.   (* of the function that divides a bucket *)

  Definition edges_child (p : path) (x : N) : N := edge_child (edges p) x.

  (** First and last image that a bucket can hold. *)
  Fixpoint span (p : path) : N * N :=
    match p with
    | [] => (0, top - 1)
    | j :: p' => let (lo, hi) := span p' in
                 (edge_below (edges p') j lo, edge_above (edges p') j hi)
    end.
  Definition one_image (p : path) : bool := let (lo, hi) := span p in lo =? hi.

  Lemma inside_span p : forall x, inside top edges_child p x = true -> fst (span p) <= x <= snd (span p).
  Proof.
    induction p as [|j p IH]; simpl; intros x H.
    - apply N.ltb_lt in H. lia.
    - apply andb_prop in H. destruct H as [H Hj]. apply N.eqb_eq in Hj.
      specialize (IH x H). destruct (span p) as [lo hi]. simpl in *. now apply edge_child_between.
  Qed.

  Lemma edges_refine A (image : A -> N) : (forall a, image a < top) ->
    refinement A image top edges_child (fun p => size_of (edges p) + 1) one_image.
  Proof.
    intros H. split; auto.
    - intros p x y _ _. apply edge_child_ascends.
    - intros p x y S Hx Hy. apply inside_span in Hx, Hy. unfold one_image in S.
      destruct (span p) as [lo hi]. apply N.eqb_eq in S. simpl in *. lia.
    - intros p x _. apply edge_child_range.
    - intros p. lia.
  Qed.
End Edges.

(** Sample sort, for every choice of splitters whose passes end: a plan that exists is right. *)
Theorem sample_sort A (image : A -> N) (top g ppm : N) (edges : path -> list N) (passes : nat)
    (X : list A) l :
  (forall a, image a < top) -> 0 < g -> X <> [] ->
  let C := chunk_size (size_of X) g in
  let E := tolerance C ppm in
  let input := chunks_of C g X in
  input_plan A image top (edges_child edges) (fun p => size_of (edges p) + 1) (one_image top edges)
    C E passes input = Some l ->
  right A image top (edges_child edges) C E passes input l /\ concat input = X.
Proof.
  intros Him Hg HX C E input H.
  assert (Hn : 0 < size_of X) by (destruct X; [congruence|rewrite size_cons; lia]).
  split; [|apply concat_chunks; now apply chunk_size_enough].
  eapply plan_right; eauto.
  - now apply edges_refine.
  - now apply chunk_size_positive.
  - intros chunk. apply chunks_fit_C.
Qed.

