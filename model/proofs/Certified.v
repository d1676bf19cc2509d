(** What it means that a run is certified. *)

Require Export Certify.
Require Import FMapPositive.

Section Certified.
  Variable t : trace.
  Variable A : Type.                        (* an element: a key, or a key and its value *)
  Variable image : A -> N.                  (* its key's order-preserving image *)
  Variable words : A -> N * N.              (* the two words of an element's digest *)

  Let n := t_keys t.
  Let g := t_gpus t.
  Let C := run_C t.
  Let E := run_E t.

  (** The digest of a multiset: FORMAT.md, "Digest". *)
  Definition digest_of (l : list A) : digest :=
    Digest (size_of l) (total (map (fun a => fst (words a)) l) mod word)
                       (total (map (fun a => snd (words a)) l) mod word).

  Definition bucket_keys (b : bucket) (l : list A) : list A :=
    keys_of A image (top_of t) (run_child t) (name b) l.

  (** The recorded run as it was carried out. *)
  Record data := Data {
    chunk : list (list A);      (**  the input of each GPU *)
    held : piece -> list A;     (**  of each piece of a bucket: its keys on their owner after the swap *)
    sorted_range : list (list A) (** of each sort range, by GPU, then offset: its keys at the end *)
  }.

  (** A stable sort on the range's bits made [out] of [l]; on no bits it leaves [l] as it is. *)
  Definition sorted_on (r : range_record) (l out : list A) : Prop :=
    Permutation out l /\
    StronglySorted (fun a b => image a mod 2 ^ ra_end_bit r <= image b mod 2 ^ ra_end_bit r) out /\
    (ra_end_bit r = 0 -> out = l).

  (** The records are those of the data: what is taken on trust. *)
  Record faithful (d : data) (l : list bucket) : Prop := {
    images_fit : forall a, image a < top_of t;
    (** The input was cut into chunks. *)
    chunks_cut : map size_of (chunk d) = run_chunks t;
    (** A digest before the swap is that of the bucket's keys in the GPU's chunk. *)
    digests_before : forall b x r, In b (finals l) -> In r (t_digests t) ->
      dg_stage r = BeforeSwap -> dg_gpu r = x -> dg_pass r = size_of (name b) ->
      dg_prefix r = prefix_name t (name b) ->
      dg_digest r = digest_of (bucket_keys b (nth (N.to_nat x) (chunk d) []));
    (** A digest after the swap is that of the piece's keys on its owner. *)
    digests_after : forall o r, In o (pieces C l) -> In r (t_digests t) ->
      dg_stage r = AfterSwap -> dg_gpu r = owner o -> dg_pass r = size_of (name (whole o)) ->
      dg_prefix r = prefix_name t (name (whole o)) ->
      dg_digest r = digest_of (held d o);
    (** No two different multisets of one bucket have the same digest. *)
    no_collision : forall b, In b (finals l) ->
      digest_of (bucket_keys b (concat (chunk d))) =
      digest_of (flat_map (held d) (pieces_of C b)) ->
      Permutation (flat_map (held d) (pieces_of C b)) (bucket_keys b (concat (chunk d)));
    (** Each sort range sorts the pieces that it covers on its bits. *)
    ranges_sorted_on : forall groups,
      group_pieces (ranges_sorted t) (pieces C l) = Some groups ->
      Forall2 (fun rg out => sorted_on (fst rg) (flat_map (held d) (snd rg)) out)
              groups (sorted_range d)
  }.

  (** *** Digests *)

  Lemma mod_mod_add a b : (a mod word + b mod word) mod word = (a + b) mod word.
  Proof. symmetry. apply N.add_mod. discriminate. Qed.

  Lemma low_word_mod x : low_word x = x mod word.
  Proof. apply N.land_ones. Qed.

  Lemma digest_app a b : digest_of (a ++ b) = add_digests (digest_of a) (digest_of b).
  Proof.
    unfold digest_of, add_digests. cbn [d_count d_low d_high].
    rewrite size_app, !map_app, !total_app, !low_word_mod, !mod_mod_add. auto.
  Qed.

  Lemma digest_concat ls : digest_of (concat ls) = sum_digests (map digest_of ls).
  Proof.
    induction ls as [|l ls IH]; simpl; [reflexivity|]. now rewrite digest_app, IH.
  Qed.

  Lemma same_digest_eq a b : same_digest a b = true -> a = b.
  Proof.
    unfold same_digest. intros H. apply andb_prop in H. destruct H as [H H3].
    apply andb_prop in H. destruct H as [H1 H2]. apply N.eqb_eq in H1, H2, H3.
    destruct a, b. simpl in *. congruence.
  Qed.

  Lemma digest_of_part_In s x p d :
    digest_of_part t (digest_index t s) x p = Some d ->
    exists r, In r (t_digests t) /\ is_stage (dg_stage r) s = true /\ dg_gpu r = x /\
              dg_pass r = size_of p /\ dg_prefix r = prefix_name t p /\ dg_digest r = d.
  Proof.
    unfold digest_of_part, digest_index. destruct (PositiveMap.find _ _) as [r|] eqn:F; [|discriminate].
    apply index_In in F. apply filter_In in F. destruct F as [F S].
    destruct ((dg_gpu r =? x) && (dg_pass r =? size_of p)) eqn:G; [|discriminate].
    destruct (dg_prefix r =? prefix_name t p) eqn:P; [|discriminate].
    apply andb_prop in G. destruct G as [G G']. apply N.eqb_eq in G, G', P.
    simpl. intros H. injection H as <-. exists r. auto 10.
  Qed.

  Lemma is_stage_eq a b : is_stage a b = true -> a = b.
  Proof. destruct a, b; simpl; congruence. Qed.

  Lemma found_all m : forall wanted ds, found t m wanted = Some ds ->
    Forall2 (fun w d => digest_of_part t m (fst (fst w)) (snd (fst w)) = Some d /\ d_count d = snd w)
            wanted ds.
  Proof.
    unfold found. induction wanted as [|[[x p] keys] wanted IH]; simpl; intros ds H.
    - injection H as <-. constructor.
    - destruct (digest_of_part t m x p) as [d|] eqn:D; [|discriminate].
      destruct (N.eqb_spec (d_count d) keys); [|discriminate].
      destruct (all_some _) as [r|] eqn:R; [|discriminate]. injection H as <-.
      constructor; auto.
  Qed.

  (** *** The certified run *)

  Hypothesis yes : certify t = true.

  Lemma header_yes : header_possible t = true.
  Proof.
    unfold certify, checks in yes. simpl in yes. apply andb_prop in yes. apply yes.
  Qed.

  Lemma planned_yes : exists l, run_plan t = Some l.
  Proof.
    unfold certify, checks in yes. simpl in yes. apply andb_prop in yes. destruct yes as [_ Y].
    destruct (run_plan t) as [l|]; [eauto|discriminate].
  Qed.

  Variable l : list bucket.
  Hypothesis is_plan : run_plan t = Some l.

  Lemma all_yes :
    same_rows (histogram_rows t) (planned_histograms t l) = true /\
    functions_ok t l = true /\
    same_rows (placement_rows t) (planned_placements t l) = true /\
    same_rows (ownership_rows t) (planned_ownership t (pieces C l)) = true /\
    reads_each_key_once t = true /\
    writes_each_place_once t (pieces C l) = true /\
    copies_as_planned t l = true /\
    ranges_ok t (pieces C l) = true /\
    swap_keeps_buckets t l = true.
  Proof.
    unfold certify, checks in yes. simpl in yes. rewrite is_plan in yes. simpl in yes.
    fold C in yes.
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
    auto 20.
  Qed.

  Lemma C_pos : 0 < C.
  Proof. unfold C, run_C. lia. Qed.

  Lemma chunks_fit_C' i : nth i (run_chunks t) 0 <= C.
  Proof.
    destruct (nth_in_or_default i (run_chunks t) 0) as [H|H]; [|rewrite H; lia].
    apply in_map_iff in H. destruct H as (x & <- & _). unfold chunk_keys. fold C.
    replace ((x + 1) * C) with (x * C + C) by lia. lia.
  Qed.

  Lemma total_chunks : total (run_chunks t) = n.
  Proof.
    pose proof header_yes as H. unfold header_possible in H.
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
    now apply N.eqb_eq.
  Qed.

  Lemma digits_pos : t_ways t = None -> 0 < t_digit_bits t.
  Proof.
    intros _. pose proof header_yes as H. unfold header_possible in H.
    repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
    now apply N.ltb_lt.
  Qed.

  Let final_facts :=
    plan_buckets C E (columns_of t (rows_by_bucket t)) (run_single t) C_pos (passes_of t)
                 (run_chunks t) l chunks_fit_C' is_plan.

  Lemma bs_ok : Forall (bucket_ok C E (run_single t) (passes_of t)) (finals l).
  Proof.
    destruct final_facts as (_ & H & _). rewrite Forall_forall in *.
    intros b Hb. apply H. now apply filter_In in Hb.
  Qed.

  Section Faithful.
    Variable d : data.
    Hypothesis F : faithful d l.
    Let X := concat (chunk d).

    Lemma size_X : size_of X = n.
    Proof. unfold X. now rewrite size_concat, (chunks_cut _ _ F), total_chunks. Qed.

    Lemma g_chunks : size_of (chunk d) = g.
    Proof.
      pose proof (f_equal (@length N) (chunks_cut _ _ F)) as H. rewrite map_length in H.
      unfold run_chunks, up_to in H. rewrite !map_length, seq_length in H. unfold size_of.
      fold g in H. lia.
    Qed.

    Lemma child_monotone : monotone (top_of t) (run_child t).
    Proof. apply (run_refines t (functions t) digits_pos A image (images_fit _ _ F)). Qed.

    Lemma child_single : one_value (top_of t) (run_child t) (run_single t).
    Proof. apply (run_refines t (functions t) digits_pos A image (images_fit _ _ F)). Qed.

    (** A bucket's keys in GPU x's chunk. *)
    Let part (b : bucket) (x : N) : list A := bucket_keys b (nth (N.to_nat x) (chunk d) []).

    Lemma keys_by_part b : bucket_keys b X = flat_map (part b) (up_to g).
    Proof.
      unfold part, bucket_keys, keys_of, X. rewrite filter_concat, <- flat_map_concat_map.
      rewrite <- g_chunks. symmetry.
      apply (flat_map_up_to A (chunk d) (filter (fun a => inside (top_of t) (run_child t) (name b) (image a)))).
    Qed.

    Lemma swap_yes b : In b (finals l) ->
      exists s h, found t (digest_index t BeforeSwap) (sent_parts t b) = Some s /\
                  found t (digest_index t AfterSwap) (held_parts t b) = Some h /\
                  sum_digests s = sum_digests h.
    Proof.
      intros Hb. destruct all_yes as (_ & _ & _ & _ & _ & _ & _ & _ & H).
      unfold swap_keeps_buckets in H. rewrite forallb_forall in H. specialize (H b Hb).
      unfold bucket_digests_ok in H.
      destruct (found _ _ (sent_parts t b)) as [s|]; [|discriminate].
      destruct (found _ _ (held_parts t b)) as [h|]; [|discriminate].
      exists s, h. split; auto. split; auto. now apply same_digest_eq.
    Qed.

    (** A part with recorded keys holds as many keys of its bucket. *)
    Lemma part_recorded b x : In b (finals l) -> In x (up_to g) -> at_gpu (parts b) x <> 0 ->
      size_of (part b x) = at_gpu (parts b) x.
    Proof.
      intros Hb Hx Hp. destruct (swap_yes b Hb) as (s & h & Hs & _). apply found_all in Hs.
      assert (W : In (x, name b, at_gpu (parts b) x) (sent_parts t b)).
      { unfold sent_parts. apply in_flat_map. exists x. split; auto.
        rewrite (proj2 (N.eqb_neq _ _) Hp). simpl; auto. }
      clear h. induction Hs as [|w e ws es [H1 H2] Hs IH]; [contradiction|].
      destruct W as [->|W]; [|auto]. simpl in *.
      apply digest_of_part_In in H1. destruct H1 as (r & R1 & R2 & R3 & R4 & R5 & R6).
      apply is_stage_eq in R2. rewrite (digests_before _ _ F b x r) in R6; auto.
      subst e. simpl in H2. exact H2.
    Qed.

    Lemma sums_le {T} (f h : T -> N) ts : (forall a, In a ts -> f a <= h a) ->
      total (map f ts) <= total (map h ts).
    Proof.
      induction ts as [|a ts IH]; simpl; intros H; [lia|].
      specialize (IH (fun b Hb => H b (or_intror Hb))). specialize (H a (or_introl eq_refl)). lia.
    Qed.

    Lemma sums_eq {T} (f h : T -> N) ts : (forall a, In a ts -> f a <= h a) ->
      total (map h ts) <= total (map f ts) -> forall a, In a ts -> f a = h a.
    Proof.
      induction ts as [|a ts IH]; simpl; intros H Ht b Hb; [contradiction|].
      assert (L := sums_le f h ts (fun b Hb => H b (or_intror Hb))).
      assert (La := H a (or_introl eq_refl)).
      destruct Hb as [<-|Hb]; [lia|]. apply IH; auto; lia.
    Qed.

    Lemma classes_at_most {B} (is : B -> A -> bool) (k : list A) (classes : list B) :
      pairwise (fun b c => forall a, is b a = true -> is c a = true -> False) classes ->
      total (map (fun b => size_of (filter (is b) k)) classes) <= size_of k.
    Proof.
      revert k. induction classes as [|b classes IH]; simpl; intros k H; [lia|].
      destruct H as [Hb Hr]. specialize (IH (filter (fun a => negb (is b a)) k) Hr).
      pose proof (Permutation_length (filter_split (is b) k)) as P. rewrite app_length in P.
      assert (Q : total (map (fun c => size_of (filter (is c) (filter (fun a => negb (is b a)) k))) classes) =
                  total (map (fun c => size_of (filter (is c) k)) classes)).
      { f_equal. apply map_ext_in. intros c Hc. f_equal. rewrite filter_filter.
        apply filter_ext_in. intros a _. rewrite Forall_forall in Hb. specialize (Hb c Hc a).
        destruct (is b a), (is c a); simpl; auto. }
      unfold size_of in *. lia.
    Qed.

    Lemma parts_total b : In b (finals l) -> total (map (at_gpu (parts b)) (up_to g)) <= size_of (bucket_keys b X).
    Proof.
      intros Hb. rewrite keys_by_part.
      assert (H : forall xs, (forall x, In x xs -> In x (up_to g)) ->
        total (map (at_gpu (parts b)) xs) <= size_of (flat_map (part b) xs)).
      { induction xs as [|x xs IH]; simpl; intros H; [lia|]. rewrite size_app.
        specialize (IH (fun y Hy => H y (or_intror Hy))).
        destruct (N.eq_dec (at_gpu (parts b) x) 0) as [Z|Z]; [lia|].
        rewrite (part_recorded b x); auto. lia. }
      apply H. auto.
    Qed.

    Lemma total_at_gpu rows : (forall i, (N.to_nat g <= i)%nat -> nth i rows 0 = 0) ->
      total (map (at_gpu rows) (up_to g)) = total rows.
    Proof.
      unfold up_to, at_gpu. rewrite map_map. intros H.
      rewrite (map_ext _ (fun i => nth i rows 0)) by (intros i; now rewrite Nnat.Nat2N.id).
      revert rows H. generalize (N.to_nat g). intros k. induction k as [|k IH]; intros rows H.
      - simpl. destruct rows as [|a rows]; auto.
        assert (Z : forall i, nth i (a :: rows) 0 = 0) by (intros i; apply H; lia).
        revert Z. generalize (a :: rows). clear. intros ys. induction ys as [|b ys IH]; intros Z; auto.
        simpl. rewrite (Z O : b = 0). rewrite <- IH; [auto|]. intros i. apply (Z (S i)).
      - cbn [seq map total]. rewrite <- seq_shift, map_map. destruct rows as [|a rows].
        + simpl. clear. induction (seq 0 k); simpl; auto.
        + simpl nth. simpl total. f_equal. apply IH. intros i Hi. apply (H (S i)). lia.
    Qed.

    Lemma parts_beyond b i : In b (finals l) -> (N.to_nat g <= i)%nat -> nth i (parts b) 0 = 0.
    Proof.
      intros Hb Hi. destruct final_facts as (_ & _ & H & _). specialize (H i).
      rewrite (nth_overflow (run_chunks t)) in H.
      2: { unfold run_chunks, up_to. rewrite !map_length, seq_length. exact Hi. }
      revert Hb H. generalize (finals l). clear. intros bs. induction bs as [|c bs IH]; simpl; intros Hb H; [contradiction|].
      rewrite nth_add_rows in H. destruct Hb as [->|Hb]; [lia|]. apply IH; auto. lia.
    Qed.

    (** Each bucket holds as many keys as the plan says, and together they hold the input. *)
    Lemma bucket_counts :
      (forall b, In b (finals l) -> stop b - start b = size_of (bucket_keys b X)) /\
      total (map (fun b => size_of (bucket_keys b X)) (finals l)) = size_of X.
    Proof.
      assert (Le : forall b, In b (finals l) -> stop b - start b <= size_of (bucket_keys b X)).
      { intros b Hb. pose proof (parts_total b Hb) as P.
        rewrite total_at_gpu in P by (intros; now apply parts_beyond).
        pose proof bs_ok as Ok. rewrite Forall_forall in Ok. destruct (Ok b Hb) as (_ & T & _). lia. }
      assert (Tn : total (map (fun b => stop b - start b) (finals l)) = n).
      { destruct final_facts as (H & _). apply chain_total in H. rewrite H, total_chunks. lia. }
      assert (Most : total (map (fun b => size_of (bucket_keys b X)) (finals l)) <= size_of X).
      { apply (classes_at_most (fun b a => inside (top_of t) (run_child t) (name b) (image a))).
        destruct final_facts as (_ & _ & _ & H). eapply pairwise_weaken; [|exact H].
        simpl. intros b c _ _ Hap a Hb Hc.
        pose proof (apart_ascends _ _ b c _ _ child_monotone Hap Hb Hc). lia. }
      rewrite size_X in Most.
      split.
      - apply (sums_eq _ _ _ Le). lia.
      - rewrite size_X. pose proof (sums_le _ _ _ Le). lia.
    Qed.

    Lemma sent_digest b s : In b (finals l) ->
      found t (digest_index t BeforeSwap) (sent_parts t b) = Some s ->
      sum_digests s = digest_of (bucket_keys b X).
    Proof.
      intros Hb Hs. apply found_all in Hs.
      (* Parts without a record hold no key. *)
      assert (Z : forall x, In x (up_to g) -> at_gpu (parts b) x = size_of (part b x)).
      { apply (sums_eq (at_gpu (parts b)) (fun x => size_of (part b x))).
        - intros x Hx. destruct (N.eq_dec (at_gpu (parts b) x) 0) as [E0|E0]; [lia|].
          rewrite (part_recorded b x); auto. lia.
        - destruct bucket_counts as [H _]. specialize (H b Hb). rewrite keys_by_part in H.
          rewrite total_at_gpu by (intros; now apply parts_beyond).
          pose proof bs_ok as Ok. rewrite Forall_forall in Ok. destruct (Ok b Hb) as (_ & T & _).
          assert (S : size_of (flat_map (part b) (up_to g)) = total (map (fun x => size_of (part b x)) (up_to g))).
          { clear. induction (up_to g) as [|x xs IH]; simpl; auto. now rewrite size_app, IH. }
          lia. }
      rewrite keys_by_part. unfold sent_parts in Hs. fold g in Hs.
      assert (I : forall x, In x (up_to g) -> In x (up_to g)) by auto.
      revert I Z s Hs. generalize (up_to g) at 1 3 4 5. intros xs.
      induction xs as [|x xs IH]; simpl; intros I Z s Hs.
      - inversion Hs. reflexivity.
      - rewrite digest_app.
        destruct (N.eqb_spec (at_gpu (parts b) x) 0) as [E0|E0].
        + rewrite (Z x) in E0 by auto. destruct (part b x); [|rewrite size_cons in E0; lia].
          rewrite (IH (fun y Hy => I y (or_intror Hy)) (fun y Hy => Z y (or_intror Hy)) s Hs).
          unfold add_digests, digest_of. cbn [d_count d_low d_high map total size_of length N.of_nat].
          rewrite !low_word_mod. simpl. f_equal; symmetry; apply N.mod_mod; discriminate.
        + simpl in Hs. inversion Hs as [|w e ws es [H1 H2] Hes]; subst. simpl in *.
          rewrite (IH (fun y Hy => I y (or_intror Hy)) (fun y Hy => Z y (or_intror Hy)) es Hes).
          f_equal. apply digest_of_part_In in H1. destruct H1 as (r & R1 & R2 & R3 & R4 & R5 & R6).
          apply is_stage_eq in R2. rewrite <- R6. apply (digests_before _ _ F b x r); auto.
    Qed.

    Lemma held_digest b h : In b (finals l) ->
      found t (digest_index t AfterSwap) (held_parts t b) = Some h ->
      sum_digests h = digest_of (flat_map (held d) (pieces_of C b)).
    Proof.
      intros Hb Hh. apply found_all in Hh. unfold held_parts in Hh. fold C in Hh.
      assert (I : forall o, In o (pieces_of C b) -> In o (pieces C l) /\ whole o = b).
      { intros o Ho. split; [apply in_flat_map; eauto|]. eapply whole_of; eauto. }
      revert I h Hh. generalize (pieces_of C b). intros os.
      induction os as [|o os IH]; simpl; intros I h Hh.
      - inversion Hh. reflexivity.
      - inversion Hh as [|w e ws es [H1 H2] Hes]; subst. simpl in *.
        rewrite digest_app, <- (IH (fun y Hy => I y (or_intror Hy)) es Hes). f_equal.
        destruct (I o (or_introl eq_refl)) as [Io Iw].
        apply digest_of_part_In in H1. destruct H1 as (r & R1 & R2 & R3 & R4 & R5 & R6).
        apply is_stage_eq in R2. rewrite <- R6. apply (digests_after _ _ F o r); auto; now rewrite Iw.
    Qed.

    Lemma held_permutes b : In b (finals l) ->
      Permutation (flat_map (held d) (pieces_of C b)) (bucket_keys b X).
    Proof.
      intros Hb. apply (no_collision _ _ F b Hb).
      destruct (swap_yes b Hb) as (s & h & Hs & Hh & E0).
      transitivity (sum_digests s); [symmetry; now apply sent_digest|].
      rewrite E0. now apply held_digest.
    Qed.

    (** *** Sort ranges *)

    Lemma take_pieces_app os : forall count a b,
      take_pieces count os = Some (a, b) -> os = a ++ b.
    Proof.
      induction os as [|o os IH]; simpl; intros count a b H.
      - destruct (count =? 0); [|discriminate]. injection H as <- <-. auto.
      - destruct (count =? 0); [injection H as <- <-; auto|].
        destruct (piece_size o <=? count); [|discriminate].
        destruct (take_pieces _ os) as [[a' b']|] eqn:T; [|discriminate]. injection H as <- <-.
        simpl. f_equal. eauto.
    Qed.

    Lemma group_pieces_concat rs : forall os groups,
      group_pieces rs os = Some groups -> concat (map snd groups) = os.
    Proof.
      induction rs as [|r rs IH]; simpl; intros os groups H.
      - destruct os; [|discriminate]. injection H as <-. auto.
      - destruct (take_pieces _ os) as [[a b]|] eqn:T; [|discriminate].
        destruct (group_pieces rs b) as [gs|] eqn:G; [|discriminate]. injection H as <-.
        simpl. rewrite (IH _ _ G). symmetry. now apply take_pieces_app in T.
    Qed.

    Lemma held_between o a : In o (pieces C l) -> In a (held d o) ->
      fst (piece_span t o) <= image a <= snd (piece_span t o).
    Proof.
      intros Ho Ha. unfold pieces in Ho. apply in_flat_map in Ho. destruct Ho as (b & Hb & Ho).
      assert (W : whole o = b) by (eapply whole_of; eauto).
      unfold piece_span, run_span. rewrite W. apply inside_span_of; [apply digits_pos|].
      assert (K : In a (bucket_keys b X)).
      { eapply Permutation_in; [apply held_permutes; auto|]. apply in_flat_map. eauto. }
      apply filter_In in K. apply K.
    Qed.

    Lemma range_sorts r os out :
      (forall o, In o os -> In o (pieces C l)) ->
      pairwise (fun o o' => forall a b, In a (held d o) -> In b (held d o') -> le_image A image a b) os ->
      bits_ok t r os = true -> sorted_on r (flat_map (held d) os) out ->
      StronglySorted (le_image A image) out.
    Proof.
      intros I P B (S1 & S2 & S3). unfold bits_ok in B.
      apply andb_prop in B. destruct B as [_ B]. apply orb_prop in B. destruct B as [B|B].
      - apply andb_prop in B. destruct B as [B0 B]. apply N.eqb_eq in B0. rewrite (S3 B0).
        rewrite forallb_forall in B. clear S1 S2 S3.
        induction os as [|o os IH]; simpl; [constructor|]. destruct P as [P Q].
        apply sorted_app.
        + assert (V : forall a b, In a (held d o) -> In b (held d o) -> le_image A image a b).
          { intros a b Ha Hb. assert (Io : In o (pieces C l)) by (apply I; simpl; auto).
            pose proof (held_between o a Io Ha). pose proof (held_between o b Io Hb).
            specialize (B o (or_introl eq_refl)). apply N.eqb_eq in B. unfold le_image. lia. }
          revert V. generalize (held d o). clear. intros ys. induction ys as [|a ys IH]; intros V; constructor.
          * apply IH. intros; apply V; simpl; auto.
          * apply Forall_forall. intros b Hb. apply V; simpl; auto.
        + apply IH; auto; intros; [apply I|apply B]; simpl; auto.
        + intros a b Ha Hb. apply in_flat_map in Hb. destruct Hb as (o' & Ho' & Hb).
          rewrite Forall_forall in P. exact (P o' Ho' a b Ha Hb).
      - destruct os as [|o os].
        { simpl in S1. apply Permutation_sym, Permutation_nil in S1. subst. constructor. }
        rewrite forallb_forall in B.
        apply (low_bits_sort A image (ra_end_bit r) out (fst (piece_span t o) / 2 ^ ra_end_bit r)); auto.
        intros a Ha. apply (Permutation_in _ S1) in Ha. apply in_flat_map in Ha.
        destruct Ha as (o' & Ho' & Ha). pose proof (held_between o' a (I o' Ho') Ha) as Bt.
        specialize (B o' Ho'). apply andb_prop in B. destruct B as [B1 B2]. apply N.eqb_eq in B1, B2.
        assert (Pw : 2 ^ ra_end_bit r <> 0) by (apply N.pow_nonzero; lia).
        pose proof (N.div_le_mono _ _ _ Pw (proj1 Bt)). pose proof (N.div_le_mono _ _ _ Pw (proj2 Bt)).
        lia.
    Qed.

    Lemma certified_sorts :
      StronglySorted (le_image A image) (concat (sorted_range d)) /\ Permutation (concat (sorted_range d)) X.
    Proof.
      destruct all_yes as (_ & _ & _ & _ & _ & _ & _ & R & _). unfold ranges_ok in R.
      destruct (group_pieces (ranges_sorted t) (pieces C l)) as [groups|] eqn:G; [|discriminate].
      pose proof (ranges_sorted_on _ _ F groups G) as S.
      pose proof (group_pieces_concat _ _ _ G) as Co.
      assert (Fin : Forall (fun b => spans b = false) (finals l)).
      { apply Forall_forall. intros b Hb. apply filter_In in Hb. destruct Hb. now destruct (spans b). }
      destruct final_facts as (_ & _ & _ & Ap).
      assert (Asc := pieces_ascend A image (top_of t) (run_child t) (run_single t) C E (passes_of t)
                       child_monotone child_single X (finals l) (held d) bs_ok Fin Ap held_permutes).
      eapply (ranges_sort A image (top_of t) (run_child t) (run_single t) C E (passes_of t)
                child_monotone child_single X (finals l) (held d) bs_ok Fin Ap
                (proj2 bucket_counts) held_permutes (map snd groups)); auto.
      fold (pieces C l) in Asc. rewrite <- Co in Asc.
      assert (Inc : forall o, In o (concat (map snd groups)) -> In o (pieces C l)) by (rewrite Co; auto).
      rewrite forallb_forall in R. clear Co G.
      induction S as [|[r os] out groups outs H S IH]; simpl; constructor.
      - simpl in *. split; [apply H|]. apply pairwise_app in Asc.
        apply (range_sorts r os); auto; try apply Asc.
        + intros o Ho. apply Inc. apply in_app_iff. auto.
        + specialize (R (r, os) (or_introl eq_refl)). unfold range_ok in R. simpl in R.
          apply andb_prop in R. apply R.
      - apply IH.
        + intros x Hx. apply R. simpl; auto.
        + simpl in Asc. apply pairwise_app in Asc. apply Asc.
        + intros o Ho. apply Inc. simpl. apply in_app_iff. auto.
    Qed.
  End Faithful.

  (** *** Copies *)

  Lemma of_row_by_source c : of_row (by_source c) = c.
  Proof. now destruct c. Qed.
  Lemma of_row_by_destination c : swap_ends (of_row (by_destination c)) = c.
  Proof. now destruct c. Qed.

  Lemma sources_permute : Permutation (sources_sorted t) (t_copies t).
  Proof.
    unfold sources_sorted, sorted_by. etransitivity.
    - apply Permutation_map. symmetry. apply RowSort.Permuted_sort.
    - rewrite map_map, (map_ext _ (fun c => c)); [now rewrite map_id|]. apply of_row_by_source.
  Qed.

  Lemma destinations_permute : Permutation (destinations_sorted t) (t_copies t).
  Proof.
    unfold destinations_sorted, sorted_by. etransitivity.
    - apply Permutation_map. symmetry. apply RowSort.Permuted_sort.
    - rewrite map_map, (map_ext _ (fun c => c)); [now rewrite map_id|]. apply of_row_by_destination.
  Qed.

  Lemma chainb_chain {T} (lo hi : T -> N) ts : forall s e, chainb lo hi s ts e = true -> chain lo hi s ts e.
  Proof.
    induction ts as [|a ts IH]; simpl; intros s e H; [now apply N.eqb_eq|].
    apply andb_prop in H. destruct H as [H H3]. apply andb_prop in H. destruct H as [H1 H2].
    apply N.eqb_eq in H1. apply N.leb_le in H2. auto.
  Qed.

  (** Copies that read position i of GPU x's memory. *)
  Definition readers (x i : N) : list copy_record :=
    filter (holds co_source_offset co_source_end i) (filter (fun c => co_source c =? x) (t_copies t)).
  (** Copies that write offset i of what GPU x owns. *)
  Definition writers (x i : N) : list copy_record :=
    filter (holds co_destination_offset co_destination_end i)
           (filter (fun c => co_destination c =? x) (t_copies t)).

  Lemma one_reader x i : In x (up_to g) ->
    length (readers x i) =
    if (chunk_begin t x <=? i) && (i <? chunk_begin t x + chunk_keys n C x) then 1%nat else 0%nat.
  Proof.
    intros Hx. destruct all_yes as (_ & _ & _ & _ & R & _). unfold reads_each_key_once in R.
    apply andb_prop in R. destruct R as [R _]. rewrite forallb_forall in R. specialize (R x Hx).
    apply chainb_chain, chain_holds with (x := i) in R.
    etransitivity; [|exact R]. apply Permutation_length. do 2 apply Permutation_filter. symmetry. apply sources_permute.
  Qed.

  Lemma one_writer x i : In x (up_to g) ->
    length (writers x i) = if i <? owned (pieces C l) x then 1%nat else 0%nat.
  Proof.
    intros Hx. destruct all_yes as (_ & _ & _ & _ & _ & R & _). unfold writes_each_place_once in R.
    apply andb_prop in R. destruct R as [R _]. rewrite forallb_forall in R. specialize (R x Hx).
    apply chainb_chain, chain_holds with (x := i) in R.
    rewrite (proj2 (N.leb_le 0 i)) in R by lia. simpl in R.
    etransitivity; [|exact R]. apply Permutation_length. do 2 apply Permutation_filter. symmetry. apply destinations_permute.
  Qed.

  (** The swap moves the key at offset i of source x to offset j of what GPU y owns. *)
  Definition moves (cs : list copy_record) (x i y j : N) : Prop :=
    exists c k, In c cs /\ co_source c = x /\ co_destination c = y /\ k < co_count c /\
                i = co_source_offset c + k /\ j = co_destination_offset c + k.

  Lemma merged_moves cs : forall c x i y j, moves (merged c cs) x i y j <-> moves (c :: cs) x i y j.
  Proof.
    induction cs as [|e cs IH]; simpl; intros c x i y j; [reflexivity|].
    destruct (joins c e) eqn:J.
    - unfold joins in J.
      repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H; destruct H end.
      repeat match goal with H : (_ =? _) = true |- _ => apply N.eqb_eq in H end.
      rewrite IH. split.
      + intros (a & k & [<-|Ha] & Hx & Hy & Hk & Hi & Hj); simpl in *.
        * destruct (N.lt_ge_cases k (co_count c)).
          -- exists c, k. simpl. auto 10.
          -- exists e, (k - co_count c). simpl. repeat split; auto; try congruence; lia.
        * exists a, k. simpl. auto 10.
      + intros (a & k & [<-|[<-|Ha]] & Hx & Hy & Hk & Hi & Hj).
        * eexists _, k. split; [left; reflexivity|]. simpl. repeat split; auto; lia.
        * eexists _, (co_count c + k). split; [left; reflexivity|]. simpl.
          repeat split; try congruence; lia.
        * exists a, k. simpl. auto 10.
    - split.
      + intros (a & k & [<-|Ha] & H).
        * exists c, k. simpl. auto.
        * assert (M : moves (merged e cs) x i y j) by (exists a, k; auto).
          apply IH in M. destruct M as (a' & k' & Ha' & H'). exists a', k'. simpl in *. tauto.
      + intros (a & k & Ha & H). destruct Ha as [<-|Ha].
        * exists c, k. simpl. auto.
        * assert (M : moves (e :: cs) x i y j) by (exists a, k; auto).
          apply IH in M. destruct M as (a' & k' & Ha' & H'). exists a', k'. simpl. auto.
  Qed.

  Lemma permuted_moves a b x i y j : Permutation a b -> moves a x i y j -> moves b x i y j.
  Proof. intros P (c & k & Hc & H). exists c, k. split; auto. eapply Permutation_in; eauto. Qed.

  Lemma pair_first_by_pair c : pair_first (by_pair c) = c.
  Proof. now destruct c. Qed.

  Lemma normal_moves cs x i y j : moves (normal cs) x i y j <-> moves cs x i y j.
  Proof.
    set (some := filter (fun c => negb (co_count c =? 0)) cs).
    assert (P : Permutation (map pair_first (sorted_by by_pair some)) some).
    { unfold sorted_by. etransitivity; [apply Permutation_map; symmetry; apply RowSort.Permuted_sort|].
      rewrite map_map, (map_ext _ (fun c => c)); [now rewrite map_id|]. apply pair_first_by_pair. }
    assert (N0 : moves (normal cs) x i y j <-> moves (map pair_first (sorted_by by_pair some)) x i y j).
    { unfold normal. fold some. destruct (map pair_first _) as [|c rest]; [reflexivity|]. apply merged_moves. }
    rewrite N0. split; intros H.
    - apply (permuted_moves _ _ _ _ _ _ P) in H. destruct H as (c & k & Hc & H).
      apply filter_In in Hc. exists c, k. tauto.
    - apply (permuted_moves _ _ _ _ _ _ (Permutation_sym P)).
      destruct H as (c & k & Hc & Hx & Hy & Hk & H). exists c, k. split; auto.
      apply filter_In. split; auto. rewrite (proj2 (N.eqb_neq _ _)); auto. lia.
  Qed.

  Lemma moves_as_planned x i y j : t_by_bucket t = true ->
    moves (t_copies t) x i y j <-> moves (planned_copies t l) x i y j.
  Proof.
    intros B. destruct all_yes as (_ & _ & _ & _ & _ & _ & R & _). unfold copies_as_planned in R.
    rewrite B in R. apply same_rows_permute in R. apply (Permutation_map pair_first) in R.
    rewrite !map_map, !(map_ext (fun c => pair_first (by_pair c)) (fun c => c)), !map_id in R
      by apply pair_first_by_pair.
    rewrite <- normal_moves, <- (normal_moves (planned_copies t l)).
    split; apply permuted_moves; auto. now symmetry.
  Qed.
End Certified.

(** The run is right: decisions, moves and result. *)
Record certified_run (t : trace) (l : list bucket) : Prop := {
  (** Its decisions are those of the plan of its histograms, *)
  follows_plan : run_plan t = Some l;
  placements_recorded : Permutation (placement_rows t) (planned_placements t l);
  histograms_recorded : Permutation (histogram_rows t) (planned_histograms t l);
  ownership_recorded : Permutation (ownership_rows t) (planned_ownership t (pieces (run_C t) l));
  (** by which buckets divide [0, n) and each GPU owns a contiguous range of at most C + 2E keys. *)
  buckets_divide : chain start stop 0 (finals l) (t_keys t);
  owners_contiguous : forall x,
    chain piece_start piece_stop (base (pieces (run_C t) l) x)
          (filter (fun o => owner o =? x) (pieces (run_C t) l))
          (base (pieces (run_C t) l) x + owned (pieces (run_C t) l) x);
  owners_balanced : forall x, owned (pieces (run_C t) l) x <= run_C t + 2 * run_E t;
  (** Its copies read each key of each chunk once and write each place of each range once. *)
  keys_read_once : forall x i, In x (up_to (t_gpus t)) ->
    length (readers t x i) =
    if (chunk_begin t x <=? i) && (i <? chunk_begin t x + chunk_keys (t_keys t) (run_C t) x)
    then 1%nat else 0%nat;
  places_written_once : forall x i, In x (up_to (t_gpus t)) ->
    length (writers t x i) = if i <? owned (pieces (run_C t) l) x then 1%nat else 0%nat;
  (** Where buckets ascend on sources and destinations, they move each key as the plan does. *)
  keys_moved : forall x i y j, t_by_bucket t = true ->
    moves (t_copies t) x i y j <-> moves (planned_copies t l) x i y j;
  (** Its output is a sorted permutation of its input, given that its records are those of its data. *)
  output_sorted : forall A (image : A -> N) words d, faithful t A image words d l ->
    StronglySorted (le_image A image) (concat (sorted_range A d)) /\
    Permutation (concat (sorted_range A d)) (concat (chunk A d))
}.

Theorem certify_correct t : certify t = true -> exists l, certified_run t l.
Proof.
  intros yes. destruct (planned_yes t yes) as [l Hl]. exists l.
  destruct (all_yes t yes l Hl) as (H1 & H2 & H3 & H4 & _).
  pose proof (plan_buckets (run_C t) (run_E t) _ _ (C_pos t) _ _ l (chunks_fit_C' t) Hl) as (P1 & _).
  pose proof (plan_ownership (run_C t) (run_E t) _ _ (C_pos t) _ _ l (chunks_fit_C' t) Hl) as P2.
  split; auto using same_rows_permute.
  - rewrite <- (total_chunks t yes). exact P1.
  - intros x. apply (P2 x).
  - intros x. apply (P2 x).
  - intros x i. apply (one_reader t yes l Hl).
  - intros x i. apply (one_writer t yes l Hl).
  - intros x i y j. apply (moves_as_planned t yes l Hl).
  - intros A image words d F. exact (certified_sorts t A image words yes l Hl d F).
Qed.
