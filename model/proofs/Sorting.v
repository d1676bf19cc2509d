(** The theorem: RMG sort sorts, balanced and, in its stable variants, stably; sample sort is the
    same with another bucket function. *)

Require Export Copies.

Section Sort.
  Variable A : Type.                      (* an element: a key, or a key and its value *)
  Variable image : A -> N.                (* its key's order-preserving image *)
  Variable top : N.                       (* images are below it *)
  Variable f : path -> N -> N.            (* the child of a bucket into which an image falls *)
  Variable ways : path -> N.              (* how many children a bucket has *)
  Variable single : path -> bool.         (* the bucket holds one value *)
  Variables C E : N.
  Variable passes : nat.
  Variable input : list (list A).         (* the chunk of each GPU *)

  (** What a bucket function has to be. *)
  Record refinement : Prop := {
    images_below : forall a, image a < top;
    ascends : monotone top f;
    singles : one_value top f single;
    in_range : forall p x, inside top f p x = true -> f p x < ways p;
    some_way : forall p, 0 < ways p
  }.

  Let g : N := size_of input.
  Let n : N := size_of (concat input).
  Let keys p chunk := keys_of A image top f p chunk.
  Let the_plan := input_plan A image top f ways single C E passes input.

  (** What a GPU's memory holds after the passes: its part of each final bucket, in their order.
      [same] relates a part to the bucket's keys of the chunk: [Permutation], or [eq] in a sort
      whose every step is stable. *)
  Definition partitioned (same : list A -> list A -> Prop) (l : list bucket)
      (part : bucket -> N -> list A) (memory : N -> list A) : Prop :=
    (forall b x, In b (finals l) -> In x (up_to g) ->
       same (part b x) (keys (name b) (nth (N.to_nat x) input []))) /\
    (forall x, In x (up_to g) -> memory x = flat_map (fun b => part b x) (finals l)).

  (** The memories of all GPUs after the swap, laid end to end in the order of the GPUs. *)
  Definition swapped (l : list bucket) (memory : N -> list A) : list A :=
    carry A memory (copies C g l).

  Definition on_owner (l : list bucket) (memory : N -> list A) (o : piece) : list A :=
    slice (piece_start o) (piece_size o) (swapped l memory).

  Lemma at_up_to {T} (F : list A -> T) (d : T) x : In x (up_to g) ->
    nth (N.to_nat x) (map F input) d = F (nth (N.to_nat x) input []).
  Proof.
    intros H. unfold up_to in H. apply in_map_iff in H. destruct H as (i & <- & H).
    apply in_seq in H. unfold g, size_of in H. rewrite Nnat.Nat2N.id in *.
    rewrite (nth_indep _ d (F [])); [apply map_nth|]. rewrite map_length. lia.
  Qed.

  Lemma flat_map_up_to {T} (F : list A -> list T) :
    flat_map (fun x => F (nth (N.to_nat x) input [])) (up_to g) = flat_map F input.
  Proof.
    unfold up_to, g, size_of. rewrite Nnat.Nat2N.id.
    assert (H : forall i (l : list (list A)),
      (forall k, nth k l [] = nth (i + k) input []) ->
      flat_map (fun x => F (nth (N.to_nat x) input [])) (map N.of_nat (seq i (length l))) = flat_map F l).
    { intros i l. revert i. induction l as [|c l IH]; simpl; intros i H; auto.
      rewrite Nnat.Nat2N.id, (IH (S i)).
      - specialize (H O). simpl in H. rewrite Nat.add_0_r in H. now rewrite <- H.
      - intros k. specialize (H (S k)). simpl in H. rewrite H. f_equal. lia. }
    apply (H O input). auto.
  Qed.

  Hypothesis R : refinement.
  Hypothesis C_positive : 0 < C.
  Hypothesis chunks_fit : forall chunk, In chunk input -> size_of chunk <= C.

  Section OfPlan.
    Variable l : list bucket.
    Hypothesis is_plan : the_plan = Some l.
    Let g_sizes := chunk_sizes input.

    Let fits : forall i, nth i g_sizes 0 <= C := chunks_fit_nth _ _ chunks_fit.

    Lemma n_total : total g_sizes = n.
    Proof. unfold g_sizes, chunk_sizes, n. symmetry. apply size_concat. Qed.

    Lemma parts_counts b : In b (finals l) -> parts b = counts A image top f input (name b).
    Proof.
      intros Hb. apply filter_In in Hb. destruct Hb as [Hb _].
      assert (Ex : exact A image top f input l).
      { eapply plan_exact; eauto; apply R. }
      unfold exact in Ex. rewrite Forall_forall in Ex. auto.
    Qed.

    Section Moves.
      Variables (part : bucket -> N -> list A) (memory : N -> list A).
      Hypothesis parted : partitioned (@Permutation A) l part memory.

      Definition bucket_content (b : bucket) : list A := flat_map (part b) (up_to g).

      Lemma part_size b x : In b (finals l) -> In x (up_to g) ->
        at_gpu (parts b) x = size_of (part b x).
      Proof.
        intros Hb Hx. destruct parted as [P _]. rewrite (parts_counts b Hb). unfold at_gpu, counts.
        rewrite at_up_to by auto. unfold size_of. now rewrite (Permutation_length (P b x Hb Hx)).
      Qed.

      Lemma content_permutes b : In b (finals l) ->
        Permutation (bucket_content b) (keys (name b) (concat input)).
      Proof.
        intros Hb. destruct parted as [P _]. unfold bucket_content, keys, keys_of.
        rewrite filter_concat, <- flat_map_concat_map, <- flat_map_up_to.
        specialize (fun x => P b x Hb). revert P. generalize (up_to g).
        intros xs. induction xs as [|x xs IH]; simpl; intros P; auto.
        apply Permutation_app; auto. apply P. auto.
      Qed.

      Lemma content_size b : In b (finals l) -> size_of (bucket_content b) = stop b - start b.
      Proof.
        intros Hb. unfold size_of. rewrite (Permutation_length (content_permutes b Hb)).
        fold (size_of (keys (name b) (concat input))). unfold keys.
        rewrite <- counts_total, <- parts_counts by auto.
        destruct (plan_buckets C E _ single C_positive passes _ l fits is_plan) as (_ & H & _).
        rewrite Forall_forall in H. apply filter_In in Hb. apply (H b), Hb.
      Qed.

      (** ** Copies *)

      Lemma source_total : forall bs, incl bs (finals l) ->
        total (map snd (source_runs g bs)) = total (map (fun b => stop b - start b) bs).
      Proof.
        induction bs as [|b bs IH]; simpl; intros Hi; auto.
        rewrite map_app, total_app, IH by (intros c Hc; apply Hi; simpl; auto). f_equal.
        assert (Hb : In b (finals l)) by (apply Hi; simpl; auto).
        rewrite <- (content_size b Hb), map_map. simpl. unfold bucket_content.
        assert (Hp := part_size b). specialize (fun x => Hp x Hb). revert Hp.
        generalize (up_to g). intros xs. induction xs as [|x xs IHx]; simpl; intros Hp; auto.
        rewrite size_app, Hp, IHx; auto.
      Qed.

      Lemma owner_total : total (map snd (owner_runs C (finals l))) = n.
      Proof.
        destruct (plan_pieces C E _ single C_positive passes _ l fits is_plan) as [H _].
        unfold owner_runs. rewrite map_map. simpl. unfold piece_size.
        assert (T : forall os s e, chain piece_start piece_stop s os e ->
                  total (map (fun o => piece_stop o - piece_start o) os) = e - s).
        { induction os as [|o os IH]; simpl; intros s e Hc; [lia|].
          destruct Hc as (H1 & H2 & H3). rewrite (IH _ _ H3). apply chain_le in H3. lia. }
        fold (pieces C l). rewrite (T _ _ _ H), n_total. lia.
      Qed.

      Let cuts := overlay (2 * (length (source_runs g (finals l)) + length (owner_runs C (finals l))))
                          (source_runs g (finals l)) (owner_runs C (finals l)).

      Lemma cuts_split :
        splits (map left_run cuts) (source_runs g (finals l)) /\
        splits (map right_run cuts) (owner_runs C (finals l)).
      Proof.
        apply overlay_splits.
        - pose proof (weight_le (source_runs g (finals l))). pose proof (weight_le (owner_runs C (finals l))).
          lia.
        - rewrite owner_total, source_total by apply incl_refl.
          destruct (plan_buckets C E _ single C_positive passes _ l fits is_plan) as (H & _).
          apply chain_total in H. rewrite H, n_total. lia.
      Qed.

      (** Exactly one copy reads each key of each chunk. *)
      Theorem copies_read x : In x (up_to g) ->
        chain src_off src_end 0 (filter (fun c => src c =? x) (copies C g l))
              (size_of (nth (N.to_nat x) input [])).
      Proof.
        intros Hx. pose proof (number_sources x cuts [] 0) as H.
        replace (at_gpu [] x) with 0 in H by (unfold at_gpu; now destruct (N.to_nat x)).
        rewrite (splits_amount _ _ _ (proj1 cuts_split)) in H. simpl in H.
        replace (size_of (nth (N.to_nat x) input [])) with (amount_of x (source_runs g (finals l))); auto.
        destruct (plan_buckets C E _ single C_positive passes _ l fits is_plan) as (_ & _ & S & _).
        specialize (S (N.to_nat x)). unfold g_sizes, chunk_sizes in S. rewrite at_up_to in S by auto.
        rewrite <- S. clear -Hx. induction (finals l) as [|b bs IH]; simpl.
        - unfold amount_of. simpl. now destruct (N.to_nat x).
        - rewrite nth_add_rows, <- IH. unfold amount_of. simpl.
          rewrite filter_app, map_app, total_app. f_equal.
          assert (U := up_to_NoDup g). revert Hx U. generalize (up_to g).
          intros ys. induction ys as [|y ys IHy]; simpl; intros Hx U; [contradiction|].
          inversion U as [|z w Hy Hys]; subst. destruct (N.eqb_spec y x) as [->|Hne]; simpl.
          + rewrite filter_none; [simpl; unfold at_gpu; lia|].
            intros r Hr. apply in_map_iff in Hr. destruct Hr as (z & <- & Hz). simpl.
            apply N.eqb_neq. intros ->. contradiction.
          + destruct Hx as [Hx|Hx]; [congruence|]. auto.
      Qed.

      (** Exactly one copy writes each place of each GPU's range. *)
      Theorem copies_write d :
        chain dst_pos dst_end (base (pieces C l) d) (filter (fun c => dst c =? d) (copies C g l))
              (base (pieces C l) d + owned (pieces C l) d).
      Proof.
        destruct (plan_pieces C E _ single C_positive passes _ l fits is_plan) as [Hc Hok].
        destruct (owners_ascend C E C_positive _ _ _ Hc Hok) as [Ha _].
        destruct cuts_split as [_ Hs].
        assert (P : pairwise (fun a b => dst a <= dst b) (copies C g l)).
        { apply number_ascends. fold cuts. eapply splits_ascend; [exact Hs|].
          unfold owner_runs. fold (pieces C l). revert Ha. generalize (pieces C l).
          intros os. induction os as [|o os IH]; simpl; intros H; auto. destruct H as [H1 H2]. split; auto.
          apply Forall_forall. intros r Hr. apply in_map_iff in Hr. destruct Hr as (o' & <- & Ho').
          simpl. rewrite Forall_forall in H1. auto. }
        pose proof (class_contiguous dst _ _ d _ _ _ (number_destinations cuts [] 0) P) as H.
        fold cuts in H. unfold copies at 1. fold cuts.
        rewrite (number_dst (fun y => y <? d)), (number_dst (fun y => y =? d)) in H.
        rewrite (splits_below d _ _ Hs) in H.
        pose proof (splits_amount d _ _ Hs) as Hd. unfold amount_of in Hd. rewrite Hd in H.
        unfold base, owned.
        assert (O : forall (Q : N -> bool) os,
          map snd (filter (fun r : run => Q (fst r)) (map (fun o => (owner o, piece_size o)) os)) =
          map piece_size (filter (fun o => Q (owner o)) os)).
        { intros Q. induction os as [|o os IH]; simpl; auto. destruct (Q (owner o)); simpl; f_equal; auto. }
        unfold owner_runs in H. fold (pieces C l) in H.
        rewrite (O (fun y => y <? d)), (O (fun y => y =? d)) in H. exact H.
      Qed.

      (** The copies bring every bucket together, on its GPU and in its order. *)
      Theorem copies_carry : swapped l memory = flat_map bucket_content (finals l).
      Proof.
        unfold swapped, copies. fold cuts. rewrite carry_number.
        rewrite (take_runs_splits _ _ _ _ (proj1 cuts_split)).
        apply take_buckets with (pre := fun _ => []).
        - intros. now apply part_size.
        - intros x Hx. split; [unfold at_gpu; now destruct (N.to_nat x)|]. simpl. now apply parted.
      Qed.

      Lemma slices_of_chain (M : list A) : forall os s e, chain piece_start piece_stop s os e ->
        flat_map (fun o => slice (piece_start o) (piece_size o) M) os = slice s (e - s) M.
      Proof.
        induction os as [|o os IH]; simpl; intros s e H.
        - subst. now rewrite N.sub_diag.
        - destruct H as (H1 & H2 & H3). rewrite (IH _ _ H3). pose proof (chain_le _ _ _ _ _ H3).
          replace (e - s) with ((piece_stop o - s) + (e - piece_stop o)) by lia.
          rewrite slice_split. unfold piece_size. rewrite H1. repeat f_equal. lia.
      Qed.

      Lemma on_owner_content b : In b (finals l) ->
        flat_map (on_owner l memory) (pieces_of C b) = bucket_content b.
      Proof.
        intros Hb. unfold on_owner. rewrite copies_carry.
        destruct (plan_buckets C E _ single C_positive passes _ l fits is_plan) as (Hc & Hok & _).
        assert (Hbok : bucket_ok C E single passes b).
        { rewrite Forall_forall in Hok. apply Hok. apply filter_In in Hb. apply Hb. }
        destruct (pieces_of_ok C E single C_positive passes b Hbok) as [_ Hp].
        rewrite (slices_of_chain _ _ _ _ Hp), <- (content_size b Hb).
        pose proof content_size as Size. revert Hc Size.
        apply in_split in Hb. destruct Hb as (l1 & l2 & ->). clear. intros Hc Size.
        rewrite flat_map_app. simpl.
        replace (start b) with (size_of (flat_map bucket_content l1)); [apply slice_middle|].
        assert (P : forall s, chain start stop s (l1 ++ b :: l2) (total g_sizes) ->
                    start b = s + size_of (flat_map bucket_content l1)).
        { clear Hc. revert Size. induction l1 as [|c l1 IH]; simpl; intros Size s H.
          - unfold size_of. simpl. destruct H. lia.
          - destruct H as (H1 & H2 & H3). rewrite (IH (fun b H => Size b (or_intror H)) _ H3).
            rewrite size_app, Size by auto. lia. }
        rewrite (P 0 Hc). lia.
      Qed.
    End Moves.
  End OfPlan.

  (** ** The theorem *)

  (** What it means that a plan is right. *)
  Record right (l : list bucket) : Prop := {
    (** Buckets placed and cut divide [0, n). *)
    divided : chain start stop 0 (finals l) n;
    (** Passes end. *)
    in_passes : forall b, In b l -> (length (name b) <= passes)%nat;
    (** Each GPU owns one contiguous range, *)
    contiguous : forall d,
      chain piece_start piece_stop (base (pieces C l) d)
            (filter (fun o => owner o =? d) (pieces C l))
            (base (pieces C l) d + owned (pieces C l) d);
    (** of at most C + 2E keys. *)
    balanced : forall d, owned (pieces C l) d <= C + 2 * E;
    (** Copies are a bijection: one reads each key of each chunk, *)
    read_once : forall x i, In x (up_to g) ->
      length (filter (holds src_off src_end i) (filter (fun c => src c =? x) (copies C g l))) =
      if i <? size_of (nth (N.to_nat x) input []) then 1%nat else 0%nat;
    (** and one writes each place of each GPU's range. *)
    written_once : forall d i,
      length (filter (holds dst_pos dst_end i) (filter (fun c => dst c =? d) (copies C g l))) =
      if (base (pieces C l) d <=? i) && (i <? base (pieces C l) d + owned (pieces C l) d)
      then 1%nat else 0%nat;
    (** If each sort range, a group of neighbouring pieces, ends sorted, the whole is a sorted
        permutation of the input. *)
    sorts : forall part memory groups outs,
      partitioned (@Permutation A) l part memory ->
      concat groups = pieces C l ->
      Forall2 (fun os out => Permutation out (flat_map (on_owner l memory) os) /\
                             StronglySorted (le_image A image) out) groups outs ->
      StronglySorted (le_image A image) (concat outs) /\ Permutation (concat outs) (concat input);
    (** If partitioning and sort ranges keep equal keys in order, so does the whole. *)
    stably : forall part memory groups outs,
      partitioned eq l part memory ->
      concat groups = pieces C l ->
      Forall2 (fun os out => forall v, of_key A image v out =
                 of_key A image v (flat_map (on_owner l memory) os)) groups outs ->
      forall v, of_key A image v (concat outs) = of_key A image v (concat input)
  }.

  (** A plan that exists is right. *)
  Theorem plan_right l : the_plan = Some l -> right l.
  Proof.
    intros Hl. destruct R as [R1 R2 R3 R4 R5].
    pose proof (chunks_fit_nth _ _ chunks_fit) as Fit.
    destruct (plan_buckets C E _ single C_positive passes _ l Fit Hl) as (Hc & Hok & Hs & Ha).
    assert (Fok : Forall (bucket_ok C E single passes) (finals l)).
    { rewrite Forall_forall in *. intros b Hb. apply Hok. now apply filter_In in Hb. }
    assert (Ffin : Forall (fun b => spans b = false) (finals l)).
    { apply Forall_forall. intros b Hb. apply filter_In in Hb. destruct Hb as [_ Hb].
      now destruct (spans b). }
    assert (Hold := buckets_hold A image top f ways single C E passes input C_positive R1
                      l Hl chunks_fit).
    set (canonical := fun (b : bucket) x => keys (name b) (nth (N.to_nat x) input [])).
    assert (Can : partitioned (@Permutation A) l canonical
                    (fun x => flat_map (fun b => canonical b x) (finals l))).
    { split; auto. }
    split.
    - rewrite <- (n_total). exact Hc.
    - intros b Hb. rewrite Forall_forall in Hok. apply (Hok b Hb).
    - intros d. apply (plan_ownership C E _ single C_positive passes _ l Fit Hl d).
    - intros d. apply (plan_ownership C E _ single C_positive passes _ l Fit Hl d).
    - intros x i Hx. rewrite (chain_holds _ _ _ _ _ _ (copies_read l Hl _ _ Can x Hx)).
      rewrite (proj2 (N.leb_le 0 i)) by lia. reflexivity.
    - intros d i. apply (chain_holds _ _ _ _ _ _ (copies_write l Hl _ _ Can d)).
    - intros part memory groups outs Hp Hg Ho.
      eapply (ranges_sort A image top f single C E passes R2 R3 (concat input) (finals l)
                (on_owner l memory)); eauto.
      intros b Hb. rewrite (on_owner_content l Hl part memory Hp b Hb).
      apply (content_permutes l part memory Hp b Hb).
    - intros part memory groups outs [Hp Hm] Hg Ho.
      assert (Hp' : partitioned (@Permutation A) l part memory).
      { split; auto. intros b x Hb Hx. rewrite (Hp b x Hb Hx). reflexivity. }
      assert (Content : forall b, In b (finals l) ->
        flat_map (on_owner l memory) (pieces_of C b) = keys (name b) (concat input)).
      { intros b Hb. rewrite (on_owner_content l Hl part memory Hp' b Hb). unfold bucket_content, keys, keys_of.
        rewrite filter_concat, <- flat_map_concat_map, <- flat_map_up_to.
        rewrite !flat_map_concat_map. f_equal. apply map_ext_in. intros x Hx. apply Hp; auto. }
      eapply (ranges_stable A image top f single C E passes R2 (concat input) (finals l)
                (on_owner l memory)); eauto.
      intros b Hb. now rewrite (Content b Hb).
  Qed.

  (** If the last pass leaves one value in each bucket, every input has a plan, and it is right. *)
  Theorem every_sort : passes_end single passes -> exists l, the_plan = Some l /\ right l.
  Proof.
    intros End. destruct R as [R1 R2 R3 R4 R5].
    destruct (plan_exists A image top f ways single C E passes input C_positive R1 R4 R5 End) as (l & Hl & _).
    exists l. split; auto. now apply plan_right.
  Qed.
End Sort.
