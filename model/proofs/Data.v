(** Keys under a plan: which keys a bucket holds, that the plan of every input exists, and that
    ranges which end sorted make the whole a sorted permutation of the input. *)

Require Export Plan.

(** ** Bucket functions *)

Section Buckets.
  (** Images are below [top]; [f p x] is the child of bucket [p] into which image [x] falls. *)
  Variable top : N.
  Variable f : path -> N -> N.

  Fixpoint inside (p : path) (x : N) : bool :=
    match p with
    | [] => x <? top
    | j :: p' => inside p' x && (f p' x =? j)
    end.

  (** Children ascend with the key. *)
  Definition monotone : Prop :=
    forall p x y, inside p x = true -> inside p y = true -> x <= y -> f p x <= f p y.

  (** If [single] holds of a bucket, all its keys have one value. *)
  Definition one_value (single : path -> bool) : Prop :=
    forall p x y, single p = true -> inside p x = true -> inside p y = true -> x = y.

  Lemma inside_app d : forall p x, inside (d ++ p) x = true -> inside p x = true.
  Proof.
    induction d as [|j d IH]; simpl; intros p x H; auto.
    apply andb_prop in H. destruct H. auto.
  Qed.

  Lemma apart_ascends b c x y : monotone -> apart b c ->
    inside (name b) x = true -> inside (name c) y = true -> x < y.
  Proof.
    intros M (p & i & j & d & d' & Hb & Hc & Hij) Hx Hy.
    rewrite Hb in Hx. rewrite Hc in Hy. apply inside_app in Hx, Hy. simpl in *.
    apply andb_prop in Hx, Hy. destruct Hx as [X X'], Hy as [Y Y'].
    apply N.eqb_eq in X', Y'.
    destruct (N.le_gt_cases y x) as [H|H]; auto.
    specialize (M p y x Y X H). lia.
  Qed.
End Buckets.

(** ** Sorted ranges make a sorted whole *)

Section Sorted.
  Variable A : Type.
  Variable image : A -> N.

  Definition le_image (a b : A) : Prop := image a <= image b.
  (** The elements of one key, in their order. *)
  Definition of_key (v : N) (l : list A) : list A := filter (fun a => image a =? v) l.

  Lemma concat_sorted (sources outs : list (list A)) :
    pairwise (fun s t => forall a b, In a s -> In b t -> le_image a b) sources ->
    Forall2 (fun s out => Permutation out s /\ StronglySorted le_image out) sources outs ->
    StronglySorted le_image (concat outs) /\ Permutation (concat outs) (concat sources).
  Proof.
    intros P H. induction H as [|s out sources outs [Hp Hs] H IH]; simpl.
    - split; constructor.
    - destruct P as [P Q]. destruct (IH Q) as [I J]. split.
      + apply sorted_app; auto. intros a b Ha Hb. rewrite Forall_forall in P.
        apply (Permutation_in _ Hp) in Ha. apply (Permutation_in _ J) in Hb.
        apply in_concat in Hb. destruct Hb as (t & Ht & Hb). apply (P t Ht); auto.
      + now apply Permutation_app.
  Qed.

  (** A sort on the low [bits] of keys that agree above them is a sort. *)
  Definition low (bits : N) (a : A) : N := image a mod 2 ^ bits.

  Lemma low_bits_sort bits (out : list A) high :
    (forall a, In a out -> image a / 2 ^ bits = high) ->
    StronglySorted (fun a b => low bits a <= low bits b) out -> StronglySorted le_image out.
  Proof.
    intros H S. induction S as [|a out S IH F]; constructor.
    - apply IH. intros b Hb. apply H. simpl; auto.
    - rewrite Forall_forall in *. intros b Hb. specialize (F b Hb). unfold low, le_image in *.
      assert (P : 2 ^ bits <> 0) by (apply N.pow_nonzero; lia).
      rewrite (N.div_mod (image a) _ P), (N.div_mod (image b) _ P).
      rewrite (H a), (H b); simpl; auto. lia.
  Qed.

  (** *** The pieces of a plan *)

  Variables (top : N) (f : path -> N -> N) (single : path -> bool) (C E : N) (passes : nat).
  Hypothesis f_monotone : monotone top f.
  Hypothesis f_single : one_value top f single.

  (** Elements of a list that fall into a bucket, in their order. *)
  Definition keys_of (p : path) (l : list A) : list A := filter (fun a => inside top f p (image a)) l.

  Variable X : list A.                 (* the whole input *)
  Variable bs : list bucket.           (* placed and cut buckets of its plan *)
  Variable content : piece -> list A.  (* the keys of each piece on its owner *)
  Hypothesis bs_ok : Forall (bucket_ok C E single passes) bs.
  Hypothesis bs_final : Forall (fun b => spans b = false) bs.
  Hypothesis bs_apart : pairwise apart bs.
  Hypothesis bs_hold : total (map (fun b => size_of (keys_of (name b) X)) bs) = size_of X.
  Hypothesis content_of : forall b, In b bs ->
    Permutation (flat_map content (pieces_of C b)) (keys_of (name b) X).

  Lemma whole_of b : forall cuts gpu s o, In o (cut_at_borders C b cuts gpu s) -> whole o = b.
  Proof.
    induction cuts; simpl; intros gpu s o [H|H]; subst; simpl in *; eauto; easy.
  Qed.

  Lemma buckets_permute : Permutation (flat_map (fun b => keys_of (name b) X) bs) X.
  Proof.
    apply (classes_permute (fun b a => inside top f (name b) (image a))); auto.
    eapply pairwise_weaken; [|exact bs_apart]. simpl. intros b c _ _ H a Hb Hc.
    pose proof (apart_ascends top f b c _ _ f_monotone H Hb Hc). lia.
  Qed.

  Lemma content_inside b o a : In b bs -> In o (pieces_of C b) -> In a (content o) ->
    inside top f (name b) (image a) = true.
  Proof.
    intros Hb Ho Ha. assert (H : In a (keys_of (name b) X)).
    { eapply Permutation_in; [apply content_of; auto|]. apply in_flat_map. eauto. }
    now apply filter_In in H.
  Qed.

  Lemma pieces_ascend :
    pairwise (fun o o' => forall a b, In a (content o) -> In b (content o') -> le_image a b)
             (flat_map (pieces_of C) bs).
  Proof.
    pose proof content_inside as Inside. clear content_of bs_hold.
    induction bs as [|b rest IH]; simpl; auto.
    inversion bs_ok as [|x y Hb Hrest]; subst. inversion bs_final as [|x y Fb Frest]; subst.
    destruct bs_apart as [Ab Arest].
    apply pairwise_app. split; [|split].
    - unfold pieces_of. destruct Hb as (_ & _ & _ & _ & Hplaced & Hcut).
      destruct (N.eqb_spec (first b) (last b)) as [He|He].
      + rewrite He, N.sub_diag. simpl. repeat constructor.
      + assert (S : single (name b) = true).
        { apply Hcut. unfold spans in Fb. destruct (state b); auto; [|discriminate].
          exfalso. apply He, Hplaced. auto. }
        assert (All : forall o, In o (pieces_of C b) ->
                      forall a, In a (content o) -> inside top f (name b) (image a) = true).
        { intros o Ho a Ha. eapply Inside; eauto. simpl; auto. }
        fold (pieces_of C b). revert All. generalize (pieces_of C b) as os.
        induction os as [|o os IHos]; simpl; intros All; auto. split.
        * apply Forall_forall. intros o' Ho' a a' Ha Ha'. unfold le_image.
          rewrite (f_single _ (image a) (image a') S); [lia| |]; [apply (All o)|apply (All o')]; auto.
        * apply IHos. intros o' Ho'. apply All. auto.
    - apply IH; auto. intros. eapply Inside; eauto. simpl; auto.
    - intros o o' Ho Ho' a a' Ha Ha'. apply in_flat_map in Ho'. destruct Ho' as (c & Hc & Ho').
      rewrite Forall_forall in Ab. unfold le_image.
      assert (image a < image a'); [|lia].
      eapply apart_ascends; [exact f_monotone|apply Ab; exact Hc| |].
      + eapply Inside; eauto. simpl; auto.
      + eapply Inside; eauto. simpl; auto.
  Qed.

  Lemma pairwise_concat {T} (R : list A -> list A -> Prop) (g : T -> list A) (groups : list (list T)) :
    (forall s t, R s t <-> forall a b, In a s -> In b t -> le_image a b) ->
    pairwise (fun o o' => R (g o) (g o')) (concat groups) ->
    pairwise R (map (flat_map g) groups).
  Proof.
    intros HR. induction groups as [|os groups IH]; simpl; auto.
    intros H. apply pairwise_app in H. destruct H as (_ & H & K). split; auto.
    apply Forall_forall. intros t Ht. apply in_map_iff in Ht. destruct Ht as (os' & <- & Hos').
    apply HR. intros a b Ha Hb. apply in_flat_map in Ha, Hb.
    destruct Ha as (o & Ho & Ha), Hb as (o' & Ho' & Hb).
    specialize (K o o' Ho). rewrite HR in K. apply K; auto. apply in_concat. eauto.
  Qed.

  (** If each range of neighbouring pieces ends sorted, the whole is a sorted permutation of the
      input. *)
  Theorem ranges_sort (groups : list (list piece)) (outs : list (list A)) :
    concat groups = flat_map (pieces_of C) bs ->
    Forall2 (fun g out => Permutation out (flat_map content g) /\ StronglySorted le_image out)
            groups outs ->
    StronglySorted le_image (concat outs) /\ Permutation (concat outs) X.
  Proof.
    intros Hg Ho.
    destruct (concat_sorted (map (flat_map content) groups) outs) as [S P].
    - apply (pairwise_concat (fun s t => forall a b, In a s -> In b t -> le_image a b)); [easy|].
      rewrite Hg. apply pieces_ascend.
    - clear Hg. induction Ho; simpl; constructor; auto.
    - split; auto. etransitivity; [exact P|]. etransitivity; [|exact buckets_permute].
      rewrite <- (flat_map_concat_map (flat_map content) groups).
      assert (R : flat_map (flat_map content) groups = flat_map content (concat groups)).
      { clear. induction groups; simpl; auto. now rewrite flat_map_app, IHgroups. }
      rewrite R, Hg. revert content_of. clear. induction bs as [|b rest IH]; simpl; intros H; auto.
      rewrite flat_map_app. apply Permutation_app; auto.
  Qed.

  (** If nothing on the way exchanges equal keys, the output has them in the order of the input. *)
  Theorem ranges_stable (groups : list (list piece)) (outs : list (list A)) :
    concat groups = flat_map (pieces_of C) bs ->
    (forall b, In b bs -> flat_map content (pieces_of C b) = keys_of (name b) X) ->
    Forall2 (fun g out => forall v, of_key v out = of_key v (flat_map content g)) groups outs ->
    forall v, of_key v (concat outs) = of_key v X.
  Proof.
    intros Hg Hc Ho v.
    assert (E1 : of_key v (concat outs) = of_key v (flat_map content (concat groups))).
    { clear Hg. unfold of_key in *. induction Ho as [|g out groups outs H Ho IH]; simpl; auto.
      now rewrite flat_map_app, !filter_app, H, IH. }
    rewrite E1, Hg.
    assert (E2 : flat_map content (flat_map (pieces_of C) bs) = flat_map (fun b => keys_of (name b) X) bs).
    { revert Hc. clear. induction bs as [|b rest IH]; simpl; intros H; auto.
      rewrite flat_map_app, H, IH; auto. }
    rewrite E2. clear E1 E2 Hg Hc Ho groups outs.
    unfold of_key, keys_of. rewrite filter_flat_map.
    (* At most one bucket holds v; if none does, the input does not either. *)
    assert (Each : forall b, filter (fun a => image a =? v) (filter (fun a => inside top f (name b) (image a)) X)
                   = if inside top f (name b) v then filter (fun a => image a =? v) X else []).
    { intros b. rewrite filter_filter. destruct (inside top f (name b) v) eqn:I.
      - apply filter_ext. intros a. destruct (N.eqb_spec (image a) v) as [->|]; [rewrite I|]; auto.
        apply andb_false_r.
      - apply filter_none. intros a _. destruct (N.eqb_spec (image a) v) as [->|]; [rewrite I|]; auto.
        apply andb_false_r. }
    rewrite (flat_map_ext _ _ Each).
    destruct (existsb (fun b => inside top f (name b) v) bs) eqn:Ex.
    - apply existsb_exists in Ex. destruct Ex as (b & Hb & Ib).
      apply in_split in Hb. destruct Hb as (l1 & l2 & Hb). rewrite Hb in *.
      apply pairwise_app in bs_apart. destruct bs_apart as (_ & [B1 _] & B2).
      rewrite flat_map_app. simpl. rewrite Ib.
      rewrite (flat_map_all_nil _ l1), (flat_map_all_nil _ l2); [now rewrite app_nil_r| |].
      + intros c Hc. destruct (inside top f (name c) v) eqn:I; auto.
        rewrite Forall_forall in B1.
        pose proof (apart_ascends top f b c v v f_monotone (B1 c Hc) Ib I). lia.
      + intros c Hc. destruct (inside top f (name c) v) eqn:I; auto.
        pose proof (apart_ascends top f c b v v f_monotone (B2 c b Hc (or_introl eq_refl)) I Ib). lia.
    - rewrite flat_map_all_nil.
      + symmetry. apply filter_none. intros a Ha. apply N.eqb_neq. intros Hv.
        apply (Permutation_in _ (Permutation_sym buckets_permute)) in Ha.
        apply in_flat_map in Ha. destruct Ha as (b & Hb & Ha).
        apply filter_In in Ha. destruct Ha as [_ Ha]. rewrite Hv in Ha.
        assert (existsb (fun b => inside top f (name b) v) bs = true) by (apply existsb_exists; eauto).
        congruence.
      + intros b Hb. destruct (inside top f (name b) v) eqn:I; auto.
        assert (existsb (fun b => inside top f (name b) v) bs = true) by (apply existsb_exists; eauto).
        congruence.
  Qed.
End Sorted.
