(** The plan of RMG sort, as the paper has it (BTW 2023, section 3): chunks, passes that refine the
    buckets that span borders, placement with tolerance, ownership. Everything is stated over any
    bucket function that ascends with the key inside its bucket, so digits (RMG sort) and splitters
    (sample sort) are two instances of one theorem.

    Where the C++ of [model/] differs: it plans pass by pass, this file bucket by bucket in the sorted
    order; the set of buckets is the same, as no decision depends on another bucket of its pass.
    [place] follows [model/sorts/rmg/placement.cpp]. The paper has no rule for a bucket over two GPUs
    whose sides are equal; the model moves the first side, and so does [place]. C++ computes modulo
    2^64, this file in whole numbers. *)

Require Export Lists.

(** ** Definitions *)

(** A bucket is named by the numbers of its children on the way, the last one first. *)
Definition path := list N.

Inductive fate := Placed | Spanning | Cut.

Record bucket := Bucket {
  name : path;
  start : N;           (**  global index of its first key in the sorted order *)
  stop : N;            (**  one past its last key *)
  first : N;           (**  GPU, after the tolerance is used *)
  last : N;
  state : fate;
  parts : list N       (**  its keys on each source GPU *)
}.

Definition spans (b : bucket) : bool := match state b with Spanning => true | _ => false end.
Definition finals (l : list bucket) : list bucket := filter (fun b => negb (spans b)) l.

(** C = ceil(n / g). *)
Definition chunk_size (n g : N) : N := (n + g - 1) / g.
(** GPU i holds the input [i C, min((i + 1) C, n)). *)
Definition chunk_keys (n C i : N) : N := N.min ((i + 1) * C) n - N.min (i * C) n.

Definition up_to (g : N) : list N := map N.of_nat (seq 0 (N.to_nat g)).

Section Rules.
  Variables C E : N.                     (* chunk size and tolerance, in keys *)
  Variable hist : path -> list (list N). (* of a refined bucket: keys by child, then by source *)
  Variable single : path -> bool.        (* the bucket can hold one key value only *)

  Definition border (gpu : N) : N := (gpu + 1) * C.

  (** The GPUs that the non-empty bucket [s, e) needs once the tolerance has pushed slight overhangs
      to the neighbour. *)
  Definition place (s e : N) : N * N :=
    let a := s / C in
    let b := (e - 1) / C in
    if b =? a then (a, b)
    else if b =? a + 1 then
      let on_a := border a - s in
      let on_b := e - border a in
      if (on_b <? on_a) && (on_b <=? E) then (a, a)
      else if (on_a <=? on_b) && (on_a <=? E) then (b, b)
      else (a, b)
    else
      (if border a - s <=? E then a + 1 else a,
       if e - border (b - 1) <=? E then b - 1 else b).

  Definition fate_of (ends : N * N) (q : path) : fate :=
    if fst ends =? snd ends then Placed else if single q then Cut else Spanning.

  Definition rows_eq (a b : list N) : bool :=
    if list_eq_dec N.eq_dec a b then true else false.

  (** The non-empty children of [p] from column [j] on, each before what it is refined into. *)
  Fixpoint children (deeper : path -> N -> option (list bucket)) (p : path)
      (columns : list (list N)) (j s : N) : option (list bucket) :=
    match columns with
    | [] => Some []
    | column :: rest =>
        let t := total column in
        if t =? 0 then children deeper p rest (j + 1) s
        else
          let q := j :: p in
          let ends := place s (s + t) in
          let b := Bucket q s (s + t) (fst ends) (snd ends) (fate_of ends q) column in
          let inner :=
            if spans b then if rows_eq (sums (hist q)) column then deeper q s else None
            else Some [] in
          match inner, children deeper p rest (j + 1) (s + t) with
          | Some l, Some others => Some (b :: l ++ others)
          | _, _ => None
          end
    end.

  (** A pass on bucket [p], which begins at [s], and all passes below it; none if a bucket still
      spans borders after [passes] passes, or if histograms contradict each other. *)
  Fixpoint refine (passes : nat) (p : path) (s : N) : option (list bucket) :=
    match passes with
    | O => None
    | S passes' => children (refine passes') p (hist p) 0 s
    end.
End Rules.

(** The whole plan: one GPU needs no pass. *)
Definition plan (C E : N) hist single (passes : nat) (chunks : list N) : option (list bucket) :=
  let n := total chunks in
  if n =? 0 then Some []
  else if N.of_nat (length chunks) =? 1 then Some [Bucket [] 0 n 0 0 Placed chunks]
  else if rows_eq (sums (hist [])) chunks then refine C E hist single passes [] 0
  else None.

(** A bucket, or a piece of a cut one, on the GPU that owns it: global indices
    [piece_start, piece_stop). *)
Record piece := Piece { whole : bucket; owner : N; piece_start : N; piece_stop : N }.

(** Buckets that were cut are divided at the borders from their first to their last GPU. *)
Fixpoint cut_at_borders (C : N) (b : bucket) (cuts : nat) (gpu s : N) : list piece :=
  match cuts with
  | O => [Piece b gpu s (stop b)]
  | S cuts' => Piece b gpu s (border C gpu) :: cut_at_borders C b cuts' (gpu + 1) (border C gpu)
  end.

Definition pieces_of (C : N) (b : bucket) : list piece :=
  cut_at_borders C b (N.to_nat (last b - first b)) (first b) (start b).

Definition pieces (C : N) (l : list bucket) : list piece := flat_map (pieces_of C) (finals l).

Definition piece_size (o : piece) : N := piece_stop o - piece_start o.
(** Keys of GPU d after the swap, and the global index of its first one. *)
Definition owned (l : list piece) (d : N) : N :=
  total (map piece_size (filter (fun o => owner o =? d) l)).
Definition base (l : list piece) (d : N) : N :=
  total (map piece_size (filter (fun o => owner o <? d) l)).

(** ** Placement *)

Section Placement.
  Variables C E : N.
  Hypothesis C_positive : 0 < C.

  Lemma div_bounds x : x / C * C <= x /\ x < (x / C + 1) * C.
  Proof.
    pose proof (N.div_mod x C ltac:(lia)). pose proof (N.mod_lt x C ltac:(lia)).
    generalize dependent (x / C). generalize dependent (x mod C). intros. lia.
  Qed.

  Lemma div_unique x q : q * C <= x -> x < (q + 1) * C -> x / C = q.
  Proof. intros. symmetry. apply (N.div_unique x C q (x - q * C)); lia. Qed.

  Lemma place_spec s e a b :
    place C E s e = (a, b) -> s < e ->
    a <= b /\ s / C <= a /\ b <= (e - 1) / C /\
    a * C <= s + E /\ e <= (b + 1) * C + E /\ s < (a + 1) * C /\ (a < b -> b * C < e).
  Proof.
    unfold place, border. intros H Hse.
    pose proof (div_bounds s) as [S1 S2]. pose proof (div_bounds (e - 1)) as [T1 T2].
    assert (Hle : s / C <= (e - 1) / C) by (apply N.div_le_mono; lia).
    set (x := s / C) in *. set (y := (e - 1) / C) in *. clearbody x y.
    destruct (N.eqb_spec y x) as [|Hne].
    { injection H as <- <-. subst y. repeat split; intros; lia. }
    destruct (N.eqb_spec y (x + 1)) as [Hy|Hy].
    - subst y.
      destruct (N.ltb_spec (e - (x + 1) * C) ((x + 1) * C - s)),
        (N.leb_spec (e - (x + 1) * C) E); simpl in H;
        [injection H as <- <-; repeat split; intros; lia| | |];
        destruct (N.leb_spec ((x + 1) * C - s) (e - (x + 1) * C)),
          (N.leb_spec ((x + 1) * C - s) E); simpl in H;
          injection H as <- <-; repeat split; intros; lia.
    - assert (x + 2 <= y) by lia.
      replace (y - 1 + 1) with y in H by lia.
      assert ((x + 2) * C <= y * C) by (apply N.mul_le_mono_r; lia).
      assert (Y : (y - 1) * C + C = y * C) by nia.
      assert (X1 : (x + 1) * C = x * C + C) by lia.
      assert (X2 : (x + 2) * C = x * C + 2 * C) by lia.
      assert (X3 : (x + 1 + 1) * C = x * C + 2 * C) by lia.
      assert (Y1 : (y + 1) * C = y * C + C) by lia.
      destruct (N.leb_spec ((x + 1) * C - s) E), (N.leb_spec (e - y * C) E);
        injection H as <- <-; replace (y - 1 + 1) with y by lia; repeat split; intros; lia.
  Qed.
End Placement.

(** ** Every plan, whatever its histograms *)

(** Buckets that an earlier and a later child of one bucket gave. *)
Definition apart (b c : bucket) : Prop :=
  exists p i j d d', name b = d ++ i :: p /\ name c = d' ++ j :: p /\ i < j.

Section EveryPlan.
  Variables C E : N.
  Variable hist : path -> list (list N).
  Variable single : path -> bool.
  Hypothesis C_positive : 0 < C.

  (** What is true of each bucket of a plan below [p] in [depth] passes. *)
  Definition sound (p : path) (depth : nat) (b : bucket) : Prop :=
    start b < stop b /\ total (parts b) = stop b - start b /\
    place C E (start b) (stop b) = (first b, last b) /\
    state b = fate_of single (first b, last b) (name b) /\
    exists d, name b = d ++ p /\ (1 <= length d <= depth)%nat.

  Definition planned (p : path) (depth : nat) (s : N) (l : list bucket) (columns : list (list N)) :=
    chain start stop s (finals l) (s + total (map total columns)) /\
    (forall i, nth i (sums (map parts (finals l))) 0 = nth i (sums columns) 0) /\
    Forall (sound p depth) l /\
    pairwise apart (finals l).

  Lemma finals_app a b : finals (a ++ b) = finals a ++ finals b.
  Proof. apply filter_app. Qed.

  Lemma children_planned deeper depth p :
    (forall q s l, deeper q s = Some l -> planned q depth s l (hist q)) ->
    forall columns j s l,
    children C E hist single deeper p columns j s = Some l ->
    planned p (S depth) s l columns /\
    Forall (fun b => exists d i, name b = d ++ i :: p /\ j <= i) l.
  Proof.
    intros Hdeeper. induction columns as [|column rest IH]; simpl; intros j s l H.
    - injection H as <-. unfold planned. simpl. repeat split; auto; try lia.
    - destruct (N.eqb_spec (total column) 0) as [Hz|Hz].
      + apply IH in H. destruct H as [(H1 & H2 & H3 & H4) H5].
        split; [split; [|split; [|split]]|]; auto.
        * simpl. rewrite Hz. auto.
        * intros i. rewrite H2. simpl. rewrite nth_add_rows, (total_zero_nth column) by auto. lia.
        * eapply Forall_impl; [|exact H5]. intros b (d & i & Hb & Hi). exists d, i. split; auto; lia.
      + set (ends := place C E s (s + total column)) in *.
        set (b := Bucket (j :: p) s (s + total column) (fst ends) (snd ends)
                         (fate_of single ends (j :: p)) column) in *.
        destruct (if spans b then _ else _) as [inner|] eqn:Hinner; [|discriminate].
        destruct (children _ _ _ _ _ _ rest _ _) as [others|] eqn:Hothers; [|discriminate].
        injection H as <-.
        apply IH in Hothers. destruct Hothers as [(O1 & O2 & O3 & O4) O5].
        assert (Hb : sound p (S depth) b).
        { unfold sound. split; [|split; [|split; [|split]]]; simpl; try lia.
          - unfold ends. destruct (place C E s (s + total column)). reflexivity.
          - unfold ends. destruct (place C E s (s + total column)). reflexivity.
          - exists [j]. simpl. split; auto; lia. }
        assert (Hi : chain start stop s (finals (b :: inner)) (s + total column) /\
                     (forall i, nth i (sums (map parts (finals (b :: inner)))) 0 = nth i column 0) /\
                     Forall (sound p (S depth)) inner /\
                     pairwise apart (finals (b :: inner)) /\
                     Forall (fun c => exists d, name c = d ++ j :: p) (b :: inner)).
        { unfold finals. simpl. fold (finals inner). destruct (spans b) eqn:Hspans; simpl.
          - destruct (rows_eq (sums (hist (j :: p))) column) eqn:Hrows; [|discriminate].
            unfold rows_eq in Hrows. destruct (list_eq_dec _ _ _) as [Hsum|]; [|discriminate].
            apply Hdeeper in Hinner. destruct Hinner as (I1 & I2 & I3 & I4).
            rewrite <- total_sums, Hsum in I1. rewrite Hsum in I2.
            split; [|split; [|split; [|split]]]; auto.
            + eapply Forall_impl; [|exact I3].
              intros c (c1 & c2 & c3 & c4 & d & Hc & Hd). unfold sound. repeat split; auto.
              exists (d ++ [j]). rewrite <- app_assoc. simpl. split; auto.
              rewrite app_length. simpl. lia.
            + constructor; [exists []; auto|].
              eapply Forall_impl; [|exact I3]. intros c (_ & _ & _ & _ & d & Hc & _). eauto.
          - injection Hinner as <-. simpl. repeat split; auto; try lia.
            + intros i. rewrite nth_add_rows. destruct i; simpl; lia.
            + constructor; [|constructor]. exists []. auto. }
        destruct Hi as (I1 & I2 & I3 & I4 & I5).
        change (b :: inner ++ others) with ((b :: inner) ++ others).
        split; [split; [|split; [|split]]|].
        * rewrite finals_app. simpl. rewrite N.add_assoc. eapply chain_app; eauto.
        * intros i. rewrite finals_app, map_app, nth_sums_app, I2, O2. simpl.
          now rewrite nth_add_rows.
        * apply Forall_app. split; auto.
        * rewrite finals_app. apply pairwise_app. split; [auto|]. split; [auto|].
          intros x y Hx Hy. rewrite Forall_forall in I5, O5.
          apply filter_In in Hx, Hy.
          destruct (I5 x (proj1 Hx)) as [d Hd]. destruct (O5 y (proj1 Hy)) as (d' & i & Hd' & Hj).
          exists p, j, i, d, d'. repeat split; auto; lia.
        * apply Forall_app. split.
          -- eapply Forall_impl; [|exact I5]. intros c [d Hd]. exists d, j. split; auto; lia.
          -- eapply Forall_impl; [|exact O5]. intros c (d & i & Hd & Hi). exists d, i. split; auto; lia.
  Qed.

  Lemma refine_planned passes : forall p s l,
    refine C E hist single passes p s = Some l -> planned p passes s l (hist p).
  Proof.
    induction passes as [|passes IH]; simpl; intros p s l H; [discriminate|].
    eapply children_planned in H; [apply H|]. auto.
  Qed.

  Variables (passes : nat) (chunks : list N) (l : list bucket).
  Hypothesis chunks_fit : forall i, nth i chunks 0 <= C.
  Hypothesis is_plan : plan C E hist single passes chunks = Some l.
  Local Notation n := (total chunks).

  (** What is true of each bucket of the plan. *)
  Definition bucket_ok (b : bucket) : Prop :=
    start b < stop b /\ total (parts b) = stop b - start b /\
    place C E (start b) (stop b) = (first b, last b) /\
    (length (name b) <= passes)%nat /\
    (state b = Placed <-> first b = last b) /\
    (state b = Cut -> single (name b) = true).

  Lemma sound_ok p depth b : sound p depth b -> (length p + depth <= passes)%nat -> bucket_ok b.
  Proof.
    intros (H1 & H2 & H3 & H4 & d & Hd & Hl) Hp. unfold bucket_ok. repeat split; auto.
    - rewrite Hd, app_length. lia.
    - intros Hs. rewrite H4 in Hs. unfold fate_of in Hs. simpl in Hs.
      destruct (N.eqb_spec (first b) (last b)); auto. destruct (single (name b)); discriminate.
    - intros Hs. rewrite H4. unfold fate_of. simpl. rewrite Hs, N.eqb_refl. auto.
    - intros Hs. rewrite H4 in Hs. unfold fate_of in Hs. simpl in Hs.
      destruct (first b =? last b); [discriminate|]. destruct (single (name b)); congruence.
  Qed.

  (** The buckets of a plan, placed and cut, divide [0, n) in the sorted order; a refinement ends
      after at most [passes] passes; every source's keys are all in one of them. *)
  Theorem plan_buckets :
    chain start stop 0 (finals l) n /\
    Forall bucket_ok l /\
    (forall i, nth i (sums (map parts (finals l))) 0 = nth i chunks 0) /\
    pairwise apart (finals l).
  Proof.
    revert is_plan. unfold plan.
    destruct (N.eqb_spec n 0) as [Hn|Hn]; intros H.
    { injection H as <-. simpl. repeat split; auto; try lia.
      intros i. rewrite (total_zero_nth chunks Hn). destruct i; auto. }
    destruct (N.eqb_spec (N.of_nat (length chunks)) 1) as [Hg|Hg].
    { injection H as <-. simpl.
      assert (Hc : exists c, chunks = [c]).
      { destruct chunks as [|c [|]]; simpl in Hg; try lia. eauto. }
      destruct Hc as [c Hc].
      assert (n <= C). { specialize (chunks_fit 0). rewrite Hc in *. simpl in *. lia. }
      repeat split; auto; try lia.
      - constructor; [|constructor].
        unfold bucket_ok; simpl. split; [|split; [|split; [|split; [|split]]]]; try lia.
        + unfold place. rewrite (N.div_small 0), (N.div_small (n - 1)) by lia. auto.
        + tauto.
        + discriminate.
      - intros i. rewrite nth_add_rows. destruct i; simpl; lia. }
    destruct (rows_eq (sums (hist [])) chunks) eqn:Hr; [|discriminate].
    unfold rows_eq in Hr. destruct (list_eq_dec _ _ _) as [Hs|]; [|discriminate].
    apply refine_planned in H. destruct H as (H1 & H2 & H3 & H4).
    rewrite <- total_sums, Hs in H1. rewrite Hs in H2. split; [|split; [|split]]; auto.
    eapply Forall_impl; [|exact H3]. intros b Hb. eapply sound_ok; eauto.
  Qed.

  (** *** Ownership *)

  Definition piece_ok (o : piece) : Prop :=
    piece_start o < piece_stop o /\
    piece_start o / C <= owner o /\ owner o <= (piece_stop o - 1) / C /\
    owner o * C <= piece_start o + E /\ piece_stop o <= (owner o + 1) * C + E.

  Lemma cut_pieces b : forall cuts gpu s,
    s < (gpu + 1) * C -> s / C <= gpu -> gpu * C <= s + E -> s < stop b ->
    gpu + N.of_nat cuts <= (stop b - 1) / C ->
    (cuts <> O -> (gpu + N.of_nat cuts) * C < stop b) ->
    stop b <= (gpu + N.of_nat cuts + 1) * C + E ->
    Forall piece_ok (cut_at_borders C b cuts gpu s) /\
    chain piece_start piece_stop s (cut_at_borders C b cuts gpu s) (stop b).
  Proof.
    induction cuts as [|cuts IH]; intros gpu s H1 H2 H3 H4 H5 H6 H7.
    - simpl in *. rewrite N.add_0_r in *. split; [|repeat split; lia].
      constructor; [|constructor]. unfold piece_ok. simpl. auto.
    - replace (gpu + N.of_nat (S cuts)) with (gpu + 1 + N.of_nat cuts) in * by lia.
      simpl. unfold border.
      assert (B : ((gpu + 1) * C - 1) / C = gpu) by (apply div_unique; nia).
      assert (B' : (gpu + 1) * C / C = gpu + 1) by (apply N.div_mul; lia).
      assert (Hlt : (gpu + 1) * C < stop b).
      { assert ((gpu + 1) * C <= (gpu + 1 + N.of_nat cuts) * C) by (apply N.mul_le_mono_r; lia).
        specialize (H6 ltac:(discriminate)). lia. }
      destruct (IH (gpu + 1) ((gpu + 1) * C)) as [F G]; rewrite ?B'; auto; try lia.
      split; [|repeat split; auto; lia].
      constructor; auto. unfold piece_ok. simpl. rewrite B. repeat split; auto; lia.
  Qed.

  Lemma pieces_of_ok b : bucket_ok b ->
    Forall piece_ok (pieces_of C b) /\
    chain piece_start piece_stop (start b) (pieces_of C b) (stop b).
  Proof.
    intros (H1 & _ & H2 & _). apply place_spec in H2; auto.
    destruct H2 as (A & B & D & F & G & H & I). unfold pieces_of.
    assert (Hl : first b + N.of_nat (N.to_nat (last b - first b)) = last b) by lia.
    apply cut_pieces; rewrite ?Hl; auto. intros. apply I. lia.
  Qed.

  Lemma pieces_chain bs : forall s e,
    Forall bucket_ok bs -> chain start stop s bs e ->
    Forall piece_ok (flat_map (pieces_of C) bs) /\
    chain piece_start piece_stop s (flat_map (pieces_of C) bs) e.
  Proof.
    induction bs as [|b bs IH]; simpl; intros s e Hok Hc; auto.
    inversion Hok as [|x y Hb Hbs]; subst. destruct Hc as (H1 & H2 & H3).
    destruct (pieces_of_ok b Hb) as [F G]. destruct (IH _ _ Hbs H3) as [F' G'].
    split; [apply Forall_app; auto|]. subst s. eapply chain_app; eauto.
  Qed.

  Lemma finals_ok : Forall bucket_ok (finals l).
  Proof.
    destruct plan_buckets as (_ & H & _). rewrite Forall_forall in *.
    intros b Hb. apply filter_In in Hb. apply H, Hb.
  Qed.

  (** The pieces of the plan divide [0, n), too. *)
  Theorem plan_pieces :
    chain piece_start piece_stop 0 (pieces C l) n /\ Forall piece_ok (pieces C l).
  Proof.
    destruct plan_buckets as (H & _). destruct (pieces_chain _ _ _ finals_ok H). auto.
  Qed.

  Lemma owners_ascend os : forall s e,
    chain piece_start piece_stop s os e -> Forall piece_ok os ->
    pairwise (fun a b => owner a <= owner b) os /\ Forall (fun o => s / C <= owner o) os.
  Proof.
    induction os as [|o os IH]; simpl; intros s e Hc Hok; [auto|].
    destruct Hc as (H1 & H2 & H3). inversion Hok as [|x y Ho Hos]; subst.
    destruct (IH _ _ H3 Hos) as [P Q]. destruct Ho as (A & B & D & F & G).
    assert (Hd : (piece_stop o - 1) / C <= piece_stop o / C) by (apply N.div_le_mono; lia).
    assert (Hd' : piece_start o / C <= piece_stop o / C) by (apply N.div_le_mono; lia).
    split; [split|]; auto.
    - eapply Forall_impl; [|exact Q]. simpl. intros; lia.
    - constructor; auto. eapply Forall_impl; [|exact Q]. simpl. intros; lia.
  Qed.

  Lemma owned_bounded d os : forall s e,
    chain piece_start piece_stop s os e -> Forall piece_ok os ->
    owned os d = 0 \/ owned os d + N.max s (d * C - E) <= (d + 1) * C + E.
  Proof.
    unfold owned. induction os as [|o os IH]; simpl; intros s e Hc Hok; [auto|].
    destruct Hc as (H1 & H2 & H3). inversion Hok as [|x y Ho Hos]; subst.
    specialize (IH _ _ H3 Hos). destruct Ho as (A & B & D & F & G). unfold piece_size in *.
    destruct (N.eqb_spec (owner o) d) as [He|He]; simpl; [right|]; subst; lia.
  Qed.

  (** Each GPU owns one contiguous range of the sorted order, of at most C + 2E keys. *)
  Theorem plan_ownership d :
    chain piece_start piece_stop (base (pieces C l) d)
          (filter (fun o => owner o =? d) (pieces C l))
          (base (pieces C l) d + owned (pieces C l) d) /\
    owned (pieces C l) d <= C + 2 * E.
  Proof.
    destruct plan_pieces as [H K]. split.
    - destruct (owners_ascend _ _ _ H K) as [P _]. exact (class_contiguous owner _ _ d _ _ _ H P).
    - destruct (owned_bounded d _ _ _ H K) as [Z|Z]; lia.
  Qed.
End EveryPlan.
