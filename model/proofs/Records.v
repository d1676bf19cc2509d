(** A recorded run, as [traces/FORMAT.md] defines its records, and what a plan expects of them. *)

Require Export Sorts.
Require Import Mergesort Orders.
Require Import FMapPositive.

(** ** Records *)

Record digest := Digest { d_count : N; d_low : N; d_high : N }.

Inductive rule :=
| Splitters (tie_left : bool) (splitters : list (N * bool))  (** with equality flags *)
| Delta (origin width : N).

Record function_record := FunctionRecord {
  fu_id : N; fu_pass : N; fu_prefix : N; fu_buckets : N; fu_rule : rule }.
Record histogram_record := HistogramRecord {
  hi_pass : N; hi_prefix : N; hi_gpu : N; hi_offset : N; hi_function : option N; hi_counts : list N }.
Record placement_record := PlacementRecord {
  pl_pass : N; pl_prefix : N; pl_begin : N; pl_end : N; pl_first : N; pl_last : N; pl_state : fate }.
Record ownership_record := OwnershipRecord { ow_gpu : N; ow_base : N; ow_count : N }.
Record copy_record := CopyRecord {
  co_source : N; co_source_offset : N; co_destination : N; co_destination_offset : N;
  co_count : N; co_stage : N }.
Record range_record := RangeRecord {
  ra_gpu : N; ra_offset : N; ra_count : N; ra_begin_bit : N; ra_end_bit : N }.
Inductive stage := BeforeSwap | AfterSwap | AfterSort.
Record digest_record := DigestRecord {
  dg_stage : stage; dg_gpu : N; dg_pass : N; dg_prefix : N; dg_digest : digest }.

Record trace := Trace {
  t_keys : N;               (**  n *)
  t_gpus : N;               (**  g *)
  t_key_bits : N;           (**  k *)
  t_digit_bits : N;         (**  c *)
  t_tolerance_ppm : N;
  t_ways : option N;        (**  of sample sort; none: digits *)
  t_by_bucket : bool;       (**  buckets ascend on the sources and on the destinations *)
  t_content : option digest;
  t_functions : list function_record;
  t_histograms : list histogram_record;
  t_placements : list placement_record;
  t_ownership : list ownership_record;
  t_copies : list copy_record;
  t_ranges : list range_record;
  t_digests : list digest_record;
  t_verdicts : list bool    (**  what the run's own checks said *)
}.

(** ** Rows of numbers: records are compared as sorted lists of these *)

Definition row := list N.

Fixpoint row_leb (a b : row) : bool :=
  match a, b with
  | [], _ => true
  | _, [] => false
  | x :: a', y :: b' => match x ?= y with Lt => true | Gt => false | Eq => row_leb a' b' end
  end.

Module RowOrder <: TotalLeBool.
  Definition t := row.
  Definition leb := row_leb.
  Theorem leb_total : forall a b, leb a b = true \/ leb b a = true.
  Proof.
    induction a as [|x a IH]; intros [|y b]; simpl; auto.
    rewrite (N.compare_antisym x y). destruct (x ?= y); simpl; auto.
  Qed.
End RowOrder.
Module RowSort := Sort RowOrder.

Definition same_rows (a b : list row) : bool :=
  if list_eq_dec (list_eq_dec N.eq_dec) (RowSort.sort a) (RowSort.sort b) then true else false.

Lemma same_rows_permute a b : same_rows a b = true -> Permutation a b.
Proof.
  unfold same_rows. destruct (list_eq_dec _ _ _) as [H|]; [|discriminate]. intros _.
  etransitivity; [apply RowSort.Permuted_sort|]. rewrite H. symmetry. apply RowSort.Permuted_sort.
Qed.

(** ** Look-up by bucket *)

Definition code (gpu pass prefix : N) : positive := N.succ_pos ((prefix * 256 + pass) * 65536 + gpu).

Section Index.
  Variable T : Type.
  Variable key : T -> positive.
  Definition index (l : list T) : PositiveMap.t T :=
    fold_right (fun r m => PositiveMap.add (key r) r m) (PositiveMap.empty T) l.

  Lemma index_In l k r : PositiveMap.find k (index l) = Some r -> In r l.
  Proof.
    induction l as [|a l IH]; simpl.
    - now rewrite PositiveMap.gempty.
    - destruct (Pos.eq_dec k (key a)) as [->|H].
      + rewrite PositiveMap.gss. intros E. injection E as <-. auto.
      + rewrite PositiveMap.gso by auto. auto.
  Qed.
End Index.

(** Rows of several GPUs by bucket: records of one bucket under one key. *)
Definition gather (l : list histogram_record) : PositiveMap.t (list histogram_record) :=
  fold_right (fun r m =>
    let k := code 0 (hi_pass r) (hi_prefix r) in
    let rest := match PositiveMap.find k m with Some rs => rs | None => [] end in
    PositiveMap.add k (r :: rest) m) (PositiveMap.empty _) l.

(** ** The run's refinement *)

(** Bits that an index of so many ways needs: those of max(ways, 3) - 1. *)
Definition child_bits (ways : N) : N := N.size (N.max ways 3 - 1).

Definition rule_edges (buckets : N) (r : rule) : list N :=
  match r with
  | Splitters true ss => flat_map (fun s => if snd s : bool then [fst s; fst s + 1] else [fst s + 1]) ss
  | Splitters false ss => map fst ss
  | Delta origin width => map (fun i => origin + (i + 1) * width) (up_to (buckets - 1))
  end.

Section Refinement.
  Variable t : trace.

  Definition top_of : N := 2 ^ t_key_bits t.

  Definition pass_bits (q : N) : N :=
    match t_ways t with Some w => child_bits w | None => bits_of (t_key_bits t) (t_digit_bits t) q end.

  (** A bucket's name in the trace: all its digits, right-aligned. *)
  Fixpoint prefix_of (p : path) : N :=
    match p with [] => 0 | j :: p' => prefix_of p' * 2 ^ pass_bits (size_of p' + 1) + j end.

  Variable functions : PositiveMap.t function_record.

  Definition function_of (p : path) : option function_record :=
    PositiveMap.find (code 0 (size_of p) (prefix_of p)) functions.

  Definition edges_of (p : path) : list N :=
    match function_of p with Some r => rule_edges (fu_buckets r) (fu_rule r) | None => [] end.

  Definition child_of : path -> N -> N :=
    match t_ways t with
    | Some _ => edges_child edges_of
    | None => digit_child (t_key_bits t) (t_digit_bits t)
    end.

  Definition span_of (p : path) : N * N :=
    match t_ways t with
    | Some _ => span top_of edges_of p
    | None => let b := 2 ^ bits_below (t_key_bits t) (t_digit_bits t) (size_of p) in
              (prefix_of p * b, prefix_of p * b + (b - 1))
    end.

  Definition single_of (p : path) : bool :=
    match t_ways t with
    | Some _ => one_image top_of edges_of p
    | None => digits_read (t_key_bits t) (t_digit_bits t) p
    end.

  Definition passes_of : nat :=
    match t_ways t with
    | Some w => N.to_nat (64 / child_bits w)
    | None => digit_passes (t_key_bits t) (t_digit_bits t)
    end.

  Hypothesis digits_positive : t_ways t = None -> 0 < t_digit_bits t.

  Lemma prefix_of_digits p : t_ways t = None -> prefix_of p = prefix (t_key_bits t) (t_digit_bits t) p.
  Proof. intros H. induction p as [|j p IH]; simpl; auto. unfold pass_bits. now rewrite H, IH. Qed.

  Lemma run_refines A (image : A -> N) : (forall a, image a < top_of) ->
    monotone top_of child_of /\ one_value top_of child_of single_of.
  Proof.
    unfold child_of, single_of. intros H. destruct (t_ways t) eqn:W.
    - destruct (edges_refine top_of edges_of A image H). auto.
    - destruct (digits_refine _ _ (digits_positive eq_refl) A image H). auto.
  Qed.

  Lemma inside_span_of p x : inside top_of child_of p x = true -> fst (span_of p) <= x <= snd (span_of p).
  Proof.
    unfold child_of, span_of. destruct (t_ways t) eqn:W.
    - apply inside_span.
    - intros H. apply (inside_prefix _ _ (digits_positive eq_refl)) in H. rewrite (prefix_of_digits p W), <- H. simpl.
      set (b := 2 ^ bits_below (t_key_bits t) (t_digit_bits t) (size_of p)).
      assert (b <> 0) by (apply N.pow_nonzero; lia).
      pose proof (N.div_mod x b ltac:(auto)). pose proof (N.mod_lt x b ltac:(auto)).
      generalize dependent (x / b). generalize dependent (x mod b). intros. lia.
  Qed.
End Refinement.
