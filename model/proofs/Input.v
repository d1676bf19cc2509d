(** The plan of an input: histograms count its keys, and the plan exists. *)

Require Export Data.

(** ** Counting by child *)

Lemma total_map_add {T} (F G : T -> N) l :
  total (map (fun t => F t + G t) l) = total (map F l) + total (map G l).
Proof. induction l; simpl; lia. Qed.

Lemma total_one_child k m : forall s,
  total (map (fun j => if k =? j then 1 else 0) (map N.of_nat (seq s m))) =
  if (N.of_nat s <=? k) && (k <? N.of_nat (s + m)) then 1 else 0.
Proof.
  induction m as [|m IH]; intros s; simpl.
  - destruct (N.leb_spec (N.of_nat s) k), (N.ltb_spec k (N.of_nat (s + 0))); simpl; lia.
  - rewrite IH.
    destruct (N.eqb_spec k (N.of_nat s)), (N.leb_spec (N.of_nat (S s)) k),
      (N.ltb_spec k (N.of_nat (S s + m))), (N.leb_spec (N.of_nat s) k),
      (N.ltb_spec k (N.of_nat (s + S m))); simpl; lia.
Qed.

Lemma count_by_child {A} (P : A -> bool) (child : A -> N) ways (l : list A) :
  (forall a, P a = true -> child a < ways) ->
  total (map (fun j => size_of (filter (fun a => P a && (child a =? j)) l)) (up_to ways)) =
  size_of (filter P l).
Proof.
  intros H. unfold up_to. induction l as [|a l IH].
  - simpl. induction (map N.of_nat _); simpl; auto.
  - transitivity (total (map (fun j => (if P a && (child a =? j) then 1 else 0) +
        size_of (filter (fun a => P a && (child a =? j)) l)) (map N.of_nat (seq 0 (N.to_nat ways))))).
    { f_equal. apply map_ext. intros j. simpl.
      destruct (P a && (child a =? j)); rewrite ?size_cons; lia. }
    rewrite (total_map_add (fun j => if P a && (child a =? j) then 1 else 0)), IH. simpl filter.
    destruct (P a) eqn:Pa; simpl.
    + rewrite (total_one_child (child a) (N.to_nat ways) 0).
      specialize (H a Pa).
      rewrite (proj2 (N.leb_le _ _)), (proj2 (N.ltb_lt _ _)) by lia.
      rewrite size_cons. reflexivity.
    + enough (Z : forall js : list N, total (map (fun _ => 0) js) = 0) by (rewrite Z; lia).
      induction js; simpl; auto.
Qed.

Lemma add_rows_map {T} (F G : T -> N) l :
  add_rows (map F l) (map G l) = map (fun t => F t + G t) l.
Proof. induction l; simpl; f_equal; auto. Qed.

Lemma sums_map {T S} (F : S -> T -> N) (l : list T) (js : list S) :
  js <> [] ->
  sums (map (fun j => map (F j) l) js) = map (fun t => total (map (fun j => F j t) js)) l.
Proof.
  induction js as [|j js IH]; intros H; [congruence|].
  destruct js as [|j' js].
  - change (add_rows (map (F j) l) [] = map (fun t => F j t + 0) l).
    replace (add_rows (map (F j) l) []) with (map (F j) l) by (destruct (map (F j) l); auto).
    apply map_ext. intros; lia.
  - change (add_rows (map (F j) l) (sums (map (fun j => map (F j) l) (j' :: js))) =
            map (fun t => F j t + total (map (fun j => F j t) (j' :: js))) l).
    rewrite IH by discriminate. apply add_rows_map.
Qed.

(** ** The plan of an input *)

Lemma size_concat {A} (ls : list (list A)) : size_of (concat ls) = total (map size_of ls).
Proof. induction ls; simpl; auto. now rewrite size_app, IHls. Qed.

Definition chunk_sizes {A} (input : list (list A)) : list N := map size_of input.

Lemma chunks_fit_nth {A} C (input : list (list A)) :
  (forall chunk, In chunk input -> size_of chunk <= C) -> forall i, nth i (chunk_sizes input) 0 <= C.
Proof.
  intros Fit i. destruct (nth_in_or_default i (chunk_sizes input) 0) as [H|H]; [|rewrite H; lia].
  apply in_map_iff in H. destruct H as (chunk & <- & H). auto.
Qed.

Lemma chain_total (bs : list bucket) : forall s e,
  chain start stop s bs e -> total (map (fun b => stop b - start b) bs) = e - s.
Proof.
  induction bs as [|b bs IH]; simpl; intros s e H; [lia|].
  destruct H as (H1 & H2 & H3). rewrite (IH _ _ H3). apply chain_le in H3. lia.
Qed.

Section Input.
  Variable A : Type.
  Variable image : A -> N.
  Variable top : N.
  Variable f : path -> N -> N.
  Variable ways : path -> N.              (* how many children a bucket has *)
  Variable single : path -> bool.
  Variables C E : N.
  Variable passes : nat.
  Variable input : list (list A).         (* the chunk of each GPU *)
  Hypothesis C_positive : 0 < C.
  Hypothesis image_top : forall a, image a < top.
  Hypothesis f_monotone : monotone top f.
  Hypothesis f_single : one_value top f single.
  Hypothesis f_ways : forall p x, inside top f p x = true -> f p x < ways p.
  Hypothesis ways_positive : forall p, 0 < ways p.

  (** The keys of a bucket on each GPU. *)
  Definition counts (p : path) : list N :=
    map (fun chunk => size_of (keys_of A image top f p chunk)) input.
  (** The histograms that the GPUs exchange. *)
  Definition histogram (p : path) : list (list N) :=
    map (fun j => counts (j :: p)) (up_to (ways p)).
  Definition input_plan : option (list bucket) :=
    plan C E histogram single passes (chunk_sizes input).

  Lemma sums_histogram p : sums (histogram p) = counts p.
  Proof.
    unfold histogram, counts.
    rewrite (sums_map (fun j chunk => size_of (keys_of A image top f (j :: p) chunk))).
    - apply map_ext. intros chunk. unfold keys_of. simpl.
      apply (count_by_child (fun a => inside top f p (image a)) (fun a => f p (image a))).
      intros a Ha. auto.
    - unfold up_to. pose proof (ways_positive p). intros H'.
      apply (f_equal (@length N)) in H'. rewrite map_length, seq_length in H'. simpl in H'. lia.
  Qed.

  Definition exact (l : list bucket) : Prop := Forall (fun b => parts b = counts (name b)) l.

  Lemma children_exact deeper p :
    (forall j s, single (j :: p) = false -> exists l, deeper (j :: p) s = Some l /\ exact l) ->
    forall k j s,
    exists l, children C E histogram single deeper p
                (map (fun j => counts (j :: p)) (map N.of_nat (seq j k))) (N.of_nat j) s = Some l /\
              exact l.
  Proof.
    intros Hd. induction k as [|k IH]; intros j s; simpl.
    - exists []. split; [auto|constructor].
    - replace (N.of_nat j + 1) with (N.of_nat (S j)) by lia.
      destruct (total (counts (N.of_nat j :: p)) =? 0); [apply IH|].
      destruct (IH (S j) (s + total (counts (N.of_nat j :: p)))) as (others & Ho & Eo). rewrite Ho.
      unfold spans, fate_of. simpl state.
      destruct (fst _ =? snd _).
      { eexists. split; [reflexivity|]. constructor; auto. }
      destruct (single (N.of_nat j :: p)) eqn:S1.
      { eexists. split; [reflexivity|]. constructor; auto. }
      rewrite sums_histogram. unfold rows_eq. destruct (list_eq_dec _ _ _) as [_|n]; [|congruence].
      destruct (Hd (N.of_nat j) s S1) as (l & Hl & El). rewrite Hl.
      eexists. split; [reflexivity|]. constructor; auto. apply Forall_app. auto.
  Qed.

  (* No bucket is left to refine after the last pass. *)
  Definition passes_end : Prop :=
    (0 < passes)%nat /\ forall p, (passes <= length p)%nat -> single p = true.

  Lemma refine_exact (End : passes_end) k : forall p s, (length p + k = passes)%nat -> single p = false \/ k <> O ->
    exists l, refine C E histogram single k p s = Some l /\ exact l.
  Proof.
    induction k as [|k IH]; intros p s Hl Hs; simpl.
    - destruct Hs as [Hs|]; [|congruence]. rewrite (proj2 End) in Hs by lia. discriminate.
    - apply (children_exact (refine C E histogram single k) p) with (j := O).
      intros j s' S1. apply IH; simpl; auto. lia.
  Qed.

  (** Every input has a plan: after [passes] passes no bucket spans borders any more. *)
  Theorem plan_exists : passes_end -> exists l, input_plan = Some l /\ exact l.
  Proof.
    intros End. unfold input_plan, plan.
    destruct (total (chunk_sizes input) =? 0). { exists []. split; [auto|constructor]. }
    assert (H : counts [] = chunk_sizes input).
    { apply map_ext. intros chunk. unfold keys_of. simpl. rewrite filter_all; auto.
      intros a _. now apply N.ltb_lt. }
    destruct (N.of_nat _ =? 1).
    { eexists. split; [reflexivity|]. constructor; simpl; auto. }
    unfold rows_eq. rewrite sums_histogram, H. destruct (list_eq_dec _ _ _); [|congruence].
    apply refine_exact; simpl; auto. right. destruct End. lia.
  Qed.

  (** *** Its buckets hold the input *)

  Variable l : list bucket.
  Hypothesis is_plan : input_plan = Some l.
  Hypothesis chunks_fit : forall chunk, In chunk input -> size_of chunk <= C.

  Lemma children_exact' deeper p :
    (forall q s m, deeper q s = Some m -> exact m) ->
    forall k j s m,
    children C E histogram single deeper p
      (map (fun j => counts (j :: p)) (map N.of_nat (seq j k))) (N.of_nat j) s = Some m -> exact m.
  Proof.
    intros Hd. induction k as [|k IH]; intros j s m; simpl.
    - intros H. injection H as <-. constructor.
    - replace (N.of_nat j + 1) with (N.of_nat (S j)) by lia.
      destruct (total (counts (N.of_nat j :: p)) =? 0); [apply IH|].
      destruct (if spans _ then _ else _) as [inner|] eqn:Hi; [|discriminate].
      destruct (children _ _ _ _ _ _ _ _ _) as [others|] eqn:Ho; [|discriminate].
      intros H. injection H as <-. constructor; auto. apply Forall_app. split.
      + destruct (spans _); [|injection Hi as <-; constructor].
        destruct (rows_eq _ _); [|discriminate]. eapply Hd; eauto.
      + eapply IH; eauto.
  Qed.

  Lemma refine_exact' k : forall p s m,
    refine C E histogram single k p s = Some m -> exact m.
  Proof.
    induction k as [|k IH]; simpl; intros p s m H; [discriminate|].
    apply (children_exact' (refine C E histogram single k) p IH _ O _ _ H).
  Qed.

  Lemma plan_exact : exact l.
  Proof.
    revert is_plan. unfold input_plan, plan.
    destruct (total (chunk_sizes input) =? 0). { intros H. injection H as <-. constructor. }
    destruct (N.of_nat _ =? 1).
    { intros H. injection H as <-. constructor; simpl; [|constructor].
      unfold counts, chunk_sizes. apply map_ext. intros chunk. unfold keys_of. simpl.
      rewrite filter_all; auto. intros a _. now apply N.ltb_lt. }
    destruct (rows_eq _ _); [|discriminate]. apply refine_exact'.
  Qed.

  Lemma counts_total p : total (counts p) = size_of (keys_of A image top f p (concat input)).
  Proof.
    unfold keys_of, counts. rewrite filter_concat, size_concat, map_map. reflexivity.
  Qed.

  Lemma buckets_hold :
    total (map (fun b => size_of (keys_of A image top f (name b) (concat input))) (finals l)) =
    size_of (concat input).
  Proof.
    destruct (plan_buckets C E histogram single C_positive passes _ l (chunks_fit_nth _ _ chunks_fit) is_plan) as (H1 & H2 & _).
    apply chain_total in H1. unfold chunk_sizes in H1. rewrite size_concat, N.sub_0_r in *.
    rewrite <- H1. f_equal. apply map_ext_in. intros b Hb. apply filter_In in Hb. destruct Hb as [Hb _].
    rewrite <- counts_total. pose proof plan_exact as Ex. unfold exact in Ex.
    rewrite Forall_forall in *. rewrite <- (Ex b Hb). apply (H2 b Hb).
  Qed.
End Input.
