(** The certifier: records of a run in, yes or no out. *)

Require Export Records.
Require Import FMapPositive.

Section Certify.
  Variable t : trace.

  Let n := t_keys t.
  Let g := t_gpus t.

  (** No bucket is placed where there are no keys; then any C serves. *)
  Definition run_C : N := N.max 1 (chunk_size n g).
  Definition run_E : N := tolerance run_C (t_tolerance_ppm t).
  Definition run_chunks : list N := map (chunk_keys n run_C) (up_to g).

  (** ** Look-up *)

  Definition functions : PositiveMap.t function_record :=
    index function_record (fun r => code 0 (fu_pass r) (fu_prefix r)) (t_functions t).
  Definition prefix_name (p : path) : N := prefix_of t p.
  Definition run_child : path -> N -> N := child_of t functions.
  Definition run_span (p : path) : N * N := span_of t functions p.
  Definition run_single : path -> bool := single_of t functions.

  Definition rows_by_bucket : PositiveMap.t (list histogram_record) := gather (t_histograms t).

  (** The counts of one GPU; a GPU without keys of the bucket has no record. *)
  Definition row_of (rs : list histogram_record) (x : N) : list N :=
    match find (fun r => hi_gpu r =? x) rs with Some r => hi_counts r | None => [] end.

  Fixpoint put_row (row : list N) (columns : list (list N)) : list (list N) :=
    match columns with
    | [] => []
    | column :: rest => match row with
                        | [] => (0 :: column) :: put_row [] rest
                        | x :: row' => (x :: column) :: put_row row' rest
                        end
    end.

  Definition columns_of (rows : PositiveMap.t (list histogram_record)) (p : path) : list (list N) :=
    match PositiveMap.find (code 0 (size_of p) (prefix_name p)) rows with
    | Some ((r :: _) as rs) =>
        fold_right (fun x columns => put_row (row_of rs x) columns)
                   (map (fun _ => []) (hi_counts r)) (up_to g)
    | _ => []
    end.

  (** ** The plan of the recorded histograms *)

  Definition run_plan : option (list bucket) :=
    let rows := rows_by_bucket in
    plan run_C run_E (columns_of rows) run_single (passes_of t) run_chunks.

  Definition fate_number (s : fate) : N := match s with Placed => 0 | Spanning => 1 | Cut => 2 end.

  Definition placement_rows : list row :=
    map (fun r => [pl_pass r; pl_prefix r; pl_begin r; pl_end r; pl_first r; pl_last r;
                   fate_number (pl_state r)]) (t_placements t).

  (** One GPU places nothing, so its one bucket, the whole input, is in no record. *)
  Definition planned_placements (l : list bucket) : list row :=
    flat_map (fun b => match name b with
      | [] => []
      | _ => [[size_of (name b); prefix_name (name b); start b; stop b; first b; last b;
               fate_number (state b)]]
      end) l.

  (** Refined buckets with the offset of their part on each GPU: what precedes it in the order of
      final buckets. *)
  Fixpoint refined (sent : list N) (l : list bucket) : list (path * list N * list N) :=
    match l with
    | [] => []
    | b :: rest => if spans b then (name b, parts b, sent) :: refined sent rest
                   else refined (add_rows sent (parts b)) rest
    end.

  Definition all_refined (l : list bucket) : list (path * list N * list N) :=
    match l with
    | [] => []
    | b :: _ => match name b with
                | [] => []
                | _ => ([], run_chunks, []) :: refined [] l
                end
    end.

  Definition function_id (p : path) : N :=
    match function_of t functions p with Some r => fu_id r + 1 | None => 0 end.

  Definition planned_histograms (l : list bucket) : list row :=
    let rows := rows_by_bucket in
    flat_map (fun b =>
      let '(p, part, sent) := b in
      let columns := columns_of rows p in
      flat_map (fun x =>
        if at_gpu part x =? 0 then []
        else [[size_of p; prefix_name p; x; at_gpu sent x; function_id p] ++
              map (fun column => at_gpu column x) columns]) (up_to g)) (all_refined l).

  (** A refined bucket has as many counts as children. *)
  Definition run_ways (p : path) : N :=
    match t_ways t with
    | Some _ => size_of (edges_of t functions p) + 1
    | None => digit_ways (t_key_bits t) (t_digit_bits t) p
    end.
  Definition columns_fit (l : list bucket) : bool :=
    let rows := rows_by_bucket in
    forallb (fun b => size_of (columns_of rows (fst (fst b))) =? run_ways (fst (fst b))) (all_refined l).

  (** Records of parts without keys say nothing. *)
  Definition histogram_rows : list row :=
    flat_map (fun r => if total (hi_counts r) =? 0 then []
      else [[hi_pass r; hi_prefix r; hi_gpu r; hi_offset r;
             match hi_function r with Some id => id + 1 | None => 0 end] ++ hi_counts r])
      (t_histograms t).

  Fixpoint ascending (l : list N) : bool :=
    match l with a :: ((b :: _) as rest) => (a <? b) && ascending rest | _ => true end.

  Definition rule_valid (r : function_record) : bool :=
    (size_of (rule_edges (fu_buckets r) (fu_rule r)) + 1 =? fu_buckets r) &&
    match fu_rule r with
    | Splitters tie_left ss => ascending (map fst ss) && (tie_left || negb (existsb snd ss))
    | Delta _ width => 0 <? width
    end.

  Definition functions_ok (l : list bucket) : bool :=
    match t_ways t with
    | None => match t_functions t with [] => true | _ => false end
    | Some _ =>
        same_rows (map (fun r => [fu_pass r; fu_prefix r]) (t_functions t))
                  (map (fun b => [size_of (fst (fst b)); prefix_name (fst (fst b))]) (all_refined l)) &&
        ascending (concat (RowSort.sort (map (fun r => [fu_id r]) (t_functions t)))) &&
        forallb rule_valid (t_functions t)
    end.

  (** ** Ownership and copies *)

  Definition ownership_rows : list row :=
    map (fun r => [ow_gpu r; ow_base r; ow_count r]) (t_ownership t).
  Definition planned_ownership (os : list piece) : list row :=
    map (fun d => [d; base os d; owned os d]) (up_to g).

  Definition of_row (r : row) : copy_record :=
    match r with
    | [a; b; c; d; e; f] => CopyRecord a b c d e f
    | _ => CopyRecord 0 0 0 0 0 0
    end.
  Definition by_source (c : copy_record) : row :=
    [co_source c; co_source_offset c; co_destination c; co_destination_offset c; co_count c; co_stage c].
  Definition by_destination (c : copy_record) : row :=
    [co_destination c; co_destination_offset c; co_source c; co_source_offset c; co_count c; co_stage c].
  Definition by_pair (c : copy_record) : row :=
    [co_source c; co_destination c; co_source_offset c; co_destination_offset c; co_count c; co_stage c].
  Definition sorted_by (key : copy_record -> row) (l : list copy_record) : list row :=
    RowSort.sort (map key l).

  Definition co_source_end (c : copy_record) : N := co_source_offset c + co_count c.
  Definition co_destination_end (c : copy_record) : N := co_destination_offset c + co_count c.

  Fixpoint chainb {A} (lo hi : A -> N) (s : N) (l : list A) (e : N) : bool :=
    match l with
    | [] => s =? e
    | a :: rest => (lo a =? s) && (s <=? hi a) && chainb lo hi (hi a) rest e
    end.

  Definition swap_ends (c : copy_record) : copy_record :=
    CopyRecord (co_destination c) (co_destination_offset c) (co_source c) (co_source_offset c)
               (co_count c) (co_stage c).

  Definition sources_sorted : list copy_record := map of_row (sorted_by by_source (t_copies t)).
  Definition destinations_sorted : list copy_record :=
    map (fun r => swap_ends (of_row r)) (sorted_by by_destination (t_copies t)).

  (** Where a GPU's chunk begins in its memory: at 0 where buckets ascend, else anywhere. *)
  Definition chunk_begin (x : N) : N :=
    if t_by_bucket t then 0
    else match find (fun c => co_source c =? x) sources_sorted with
         | Some c => co_source_offset c
         | None => 0
         end.

  Definition reads_each_key_once : bool :=
    let sorted := sources_sorted in
    forallb (fun x =>
      let b := chunk_begin x in
      chainb co_source_offset co_source_end b (filter (fun c => co_source c =? x) sorted)
             (b + chunk_keys n run_C x)) (up_to g) &&
    forallb (fun c => co_source c <? g) (t_copies t).

  Definition writes_each_place_once (os : list piece) : bool :=
    let sorted := destinations_sorted in
    forallb (fun d =>
      chainb co_destination_offset co_destination_end 0
             (filter (fun c => co_destination c =? d) sorted) (owned os d)) (up_to g) &&
    forallb (fun c => co_destination c <? g) (t_copies t).

  Definition planned_copies (l : list bucket) : list copy_record :=
    let os := pieces run_C l in
    let bases := map (base os) (up_to g) in
    map (fun c => CopyRecord (src c) (src_off c) (dst c) (dst_pos c - at_gpu bases (dst c)) (amount c) 0)
        (copies run_C g l).

  (** Neighbours of one source and destination that are contiguous at both ends become one. *)
  Definition joins (a b : copy_record) : bool :=
    (co_source a =? co_source b) && (co_destination a =? co_destination b) &&
    (co_source_offset a + co_count a =? co_source_offset b) &&
    (co_destination_offset a + co_count a =? co_destination_offset b) &&
    (co_stage a =? co_stage b).
  Fixpoint merged (c : copy_record) (l : list copy_record) : list copy_record :=
    match l with
    | [] => [c]
    | d :: rest =>
        if joins c d then
          merged (CopyRecord (co_source c) (co_source_offset c) (co_destination c)
                    (co_destination_offset c) (co_count c + co_count d) (co_stage c)) rest
        else c :: merged d rest
    end.
  Definition pair_first (r : row) : copy_record :=
    match r with
    | [a; c; b; d; e; f] => CopyRecord a b c d e f
    | _ => CopyRecord 0 0 0 0 0 0
    end.
  (** Copies without keys move nothing. *)
  Definition normal (l : list copy_record) : list copy_record :=
    match map pair_first (sorted_by by_pair (filter (fun c => negb (co_count c =? 0)) l)) with
    | [] => []
    | c :: rest => merged c rest
    end.

  (** Keys from each source to each destination, where the layout is not by bucket. *)
  Definition pair_keys (l : list copy_record) : list row :=
    flat_map (fun x =>
      let of_x := filter (fun c => co_source c =? x) l in
      map (fun y => [x; y; total (map co_count (filter (fun c => co_destination c =? y) of_x))])
          (up_to g)) (up_to g).

  Definition copies_as_planned (l : list bucket) : bool :=
    let planned := planned_copies l in
    if t_by_bucket t then same_rows (map by_pair (normal (t_copies t))) (map by_pair (normal planned))
    else same_rows (pair_keys (t_copies t)) (pair_keys planned).

  (** ** Sort ranges *)

  Definition range_rows : list row :=
    RowSort.sort (map (fun r => [ra_gpu r; ra_offset r; ra_count r; ra_begin_bit r; ra_end_bit r])
                      (filter (fun r => negb (ra_count r =? 0)) (t_ranges t))).
  Definition range_of_row (r : row) : range_record :=
    match r with [a; b; c; d; e] => RangeRecord a b c d e | _ => RangeRecord 0 0 0 0 0 end.
  (** The ranges that sort something, by GPU, then offset. *)
  Definition ranges_sorted : list range_record := map range_of_row range_rows.

  (** The first pieces that together have [count] keys, and the others. *)
  Fixpoint take_pieces (count : N) (os : list piece) : option (list piece * list piece) :=
    match os with
    | [] => if count =? 0 then Some ([], []) else None
    | o :: rest =>
        if count =? 0 then Some ([], os)
        else if piece_size o <=? count then
          match take_pieces (count - piece_size o) rest with
          | Some (a, b) => Some (o :: a, b)
          | None => None
          end
        else None
    end.

  Fixpoint group_pieces (rs : list range_record) (os : list piece) : option (list (range_record * list piece)) :=
    match rs with
    | [] => match os with [] => Some [] | _ => None end
    | r :: rest =>
        match take_pieces (ra_count r) os with
        | Some (a, b) => match group_pieces rest b with
                         | Some l => Some ((r, a) :: l)
                         | None => None
                         end
        | None => None
        end
    end.

  Definition piece_span (o : piece) : N * N := run_span (name (whole o)).

  (** Does a stable sort on the range's bits order its pieces, which ascend? Yes if all their keys
      agree above, or if nothing is left to sort. *)
  Definition bits_ok (r : range_record) (os : list piece) : bool :=
    (ra_begin_bit r =? 0) && (ra_end_bit r <=? t_key_bits t) &&
    (((ra_end_bit r =? 0) && forallb (fun o => fst (piece_span o) =? snd (piece_span o)) os) ||
     match os with
     | [] => true
     | o :: _ =>
         let high := fst (piece_span o) / 2 ^ ra_end_bit r in
         forallb (fun o => (fst (piece_span o) / 2 ^ ra_end_bit r =? high) &&
                           (snd (piece_span o) / 2 ^ ra_end_bit r =? high)) os
     end).

  Definition range_ok (bases : list N) (r : range_record) (os : list piece) : bool :=
    forallb (fun o => owner o =? ra_gpu r) os &&
    match os with
    | [] => false
    | o :: _ => piece_start o =? at_gpu bases (ra_gpu r) + ra_offset r
    end && bits_ok r os.

  Definition ranges_ok (os : list piece) : bool :=
    let bases := map (base os) (up_to g) in
    match group_pieces ranges_sorted os with
    | Some groups => forallb (fun g => range_ok bases (fst g) (snd g)) groups
    | None => false
    end.

  (** ** Digests *)

  Definition is_stage (a b : stage) : bool :=
    match a, b with
    | BeforeSwap, BeforeSwap | AfterSwap, AfterSwap | AfterSort, AfterSort => true
    | _, _ => false
    end.
  Definition digests_of (s : stage) : list digest_record :=
    filter (fun r => is_stage (dg_stage r) s) (t_digests t).
  Definition digest_index (s : stage) : PositiveMap.t digest_record :=
    index digest_record (fun r => code (dg_gpu r) (dg_pass r) (dg_prefix r)) (digests_of s).

  Definition digest_of_part (m : PositiveMap.t digest_record) (x : N) (p : path) : option digest :=
    match PositiveMap.find (code x (size_of p) (prefix_name p)) m with
    | Some r => if (dg_gpu r =? x) && (dg_pass r =? size_of p) && (dg_prefix r =? prefix_name p)
                then Some (dg_digest r) else None
    | None => None
    end.

  Definition word : N := 2 ^ 64.
  (** Modulo [word]: the same as [mod], by a mask. *)
  Definition low_word (x : N) : N := N.land x (N.ones 64).
  Definition no_keys : digest := Digest 0 0 0.
  Definition add_digests (a b : digest) : digest :=
    Digest (d_count a + d_count b) (low_word (d_low a + d_low b)) (low_word (d_high a + d_high b)).
  Definition sum_digests (l : list digest) : digest := fold_right add_digests no_keys l.
  Definition same_digest (a b : digest) : bool :=
    (d_count a =? d_count b) && (d_low a =? d_low b) && (d_high a =? d_high b).

  Fixpoint all_some {T} (l : list (option T)) : option (list T) :=
    match l with
    | [] => Some []
    | Some a :: rest => match all_some rest with Some r => Some (a :: r) | None => None end
    | None :: _ => None
    end.

  (** The digests of a list of (GPU, bucket, keys), if each is there with that many keys. *)
  Definition found (m : PositiveMap.t digest_record) (wanted : list (N * path * N)) : option (list digest) :=
    all_some (map (fun w =>
      let '(x, p, keys) := w in
      match digest_of_part m x p with
      | Some d => if d_count d =? keys then Some d else None
      | None => None
      end) wanted).

  (** The parts of a bucket that hold keys before the swap, and after it. *)
  Definition sent_parts (b : bucket) : list (N * path * N) :=
    flat_map (fun x => if at_gpu (parts b) x =? 0 then [] else [(x, name b, at_gpu (parts b) x)]) (up_to g).
  Definition held_parts (b : bucket) : list (N * path * N) :=
    map (fun o => (owner o, name b, piece_size o)) (pieces_of run_C b).

  Definition bucket_digests_ok (before after : PositiveMap.t digest_record) (b : bucket) : bool :=
    match found before (sent_parts b), found after (held_parts b) with
    | Some s, Some h => same_digest (sum_digests s) (sum_digests h)
    | _, _ => false
    end.

  Definition part_rows (l : list (N * path * N)) : list row :=
    map (fun w => let '(x, p, keys) := w in [x; size_of p; prefix_name p; keys]) l.
  Definition digest_rows (s : stage) : list row :=
    map (fun r => [dg_gpu r; dg_pass r; dg_prefix r; d_count (dg_digest r)]) (digests_of s).
  Definition full_rows (s : stage) : list row :=
    map (fun r => [dg_gpu r; dg_pass r; dg_prefix r; d_count (dg_digest r); d_low (dg_digest r);
                   d_high (dg_digest r)]) (digests_of s).

  (** One digest for each part, no other, and buckets keep theirs on the way. *)
  Definition swap_keeps_buckets (l : list bucket) : bool :=
    let before := digest_index BeforeSwap in
    let after := digest_index AfterSwap in
    forallb (bucket_digests_ok before after) (finals l).
  Definition digests_complete (l : list bucket) : bool :=
    same_rows (digest_rows BeforeSwap) (part_rows (flat_map sent_parts (finals l))) &&
    same_rows (digest_rows AfterSwap) (part_rows (flat_map held_parts (finals l))).
  (** A run may omit the digests after the sort; a sort keeps the others. *)
  Definition sort_keeps_buckets : bool :=
    match full_rows AfterSort with
    | [] => true
    | rows => same_rows rows (full_rows AfterSwap)
    end.
  Definition content_kept : bool :=
    match t_content t with
    | Some d => same_digest d (sum_digests (map dg_digest (digests_of BeforeSwap)))
    | None => true
    end.

  (** ** Yes or no *)

  Inductive check :=
  | HeaderPossible | HistogramsAgree | HistogramsAsPlanned | ColumnsFit | FunctionsValid | PlacementsAsPlanned
  | OwnershipAsPlanned | ReadsEachKeyOnce | WritesEachPlaceOnce | CopiesAsPlanned | RangesSort
  | DigestsComplete | SwapKeepsBuckets | SortKeepsBuckets | ContentKept | VerdictsHold.

  Definition header_possible : bool :=
    (0 <? g) && (0 <? t_key_bits t) && (0 <? t_digit_bits t) && (total run_chunks =? n) &&
    match t_ways t with Some w => (2 <=? w) && (w <=? 65536) | None => true end.

  Definition checks : list (check * bool) :=
    (HeaderPossible, header_possible) ::
    match run_plan with
    | None => [(HistogramsAgree, false)]
    | Some l =>
        let os := pieces run_C l in
        [ (HistogramsAsPlanned, same_rows histogram_rows (planned_histograms l));
          (ColumnsFit, columns_fit l);
          (FunctionsValid, functions_ok l);
          (PlacementsAsPlanned, same_rows placement_rows (planned_placements l));
          (OwnershipAsPlanned, same_rows ownership_rows (planned_ownership os));
          (ReadsEachKeyOnce, reads_each_key_once);
          (WritesEachPlaceOnce, writes_each_place_once os);
          (CopiesAsPlanned, copies_as_planned l);
          (RangesSort, ranges_ok os);
          (DigestsComplete, digests_complete l);
          (SwapKeepsBuckets, swap_keeps_buckets l);
          (SortKeepsBuckets, sort_keeps_buckets);
          (ContentKept, content_kept);
          (VerdictsHold, forallb (fun v => v) (t_verdicts t)) ]
    end.

  (** The first check that fails; none: the run is certified. *)
  Definition first_failure : option check :=
    match find (fun c => negb (snd c)) checks with Some c => Some (fst c) | None => None end.

  Definition certify : bool := forallb snd checks.
End Certify.
