(* Reads recorded runs (traces/FORMAT.md) and asks the certifier, which Coq has proved and extracted.

   usage: keyswap-certify TRACE ...
   exit status: 0 all are certified, 1 one is not, 2 one could not be read *)

open Certifier

exception Damaged of string
exception Foreign of string

let damaged format = Printf.ksprintf (fun text -> raise (Damaged text)) format

(* Numbers *)

let rec positive_of_bits word =
  if Int64.equal word 1L then XH
  else
    let rest = positive_of_bits (Int64.shift_right_logical word 1) in
    if Int64.equal (Int64.logand word 1L) 1L then XI rest else XO rest

let n_of_word word = if Int64.equal word 0L then N0 else Npos (positive_of_bits word)
let n_of_int number = n_of_word (Int64.of_int number)

let number_of text =
  let digits = String.length text in
  let plain = digits > 0 && String.for_all (fun c -> c >= '0' && c <= '9') text in
  if not plain || (digits > 1 && text.[0] = '0') then damaged "'%s' is not a whole number" text;
  match Int64.of_string_opt ("0u" ^ text) with
  | Some word -> n_of_word word
  | None -> damaged "%s is above 2^64 - 1" text

let is_hex c = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')

let hash_of text =
  if String.length text <> 16 || not (String.for_all is_hex text) then
    damaged "'%s' is not a hash" text;
  n_of_word (Int64.of_string ("0x" ^ text))

let rec shifted_64 number bits = if bits = 0 then number else XO (shifted_64 number (bits - 1))

let rec put_low high low bits =
  (* high * 2^bits + low, for low < 2^bits *)
  if bits = 0 then Npos high
  else
    let bit = Int64.logand low 1L in
    match put_low high (Int64.shift_right_logical low 1) (bits - 1) with
    | Npos rest -> Npos (if Int64.equal bit 1L then XI rest else XO rest)
    | N0 -> N0

let image_of text =
  match String.length text with
  | 16 -> hash_of text
  | 32 -> (
      match hash_of (String.sub text 0 16) with
      | N0 -> damaged "an image of 32 digits begins with 16 zeros"
      | Npos high ->
          ignore (hash_of (String.sub text 16 16));
          put_low high (Int64.of_string ("0x" ^ String.sub text 16 16)) 64)
  | _ -> damaged "'%s' is not an image" text

(* JSON *)

type json =
  | Number of string
  | Text of string
  | Truth of bool
  | List of json list
  | Object of (string * json) list

let parse text =
  let size = String.length text in
  let position = ref 0 in
  let peek () = if !position < size then text.[!position] else damaged "the line ends too early" in
  let take expected =
    if peek () <> expected then damaged "'%c' expected at column %d" expected (!position + 1);
    incr position
  in
  let word expected value =
    String.iter take expected;
    value
  in
  let parse_text () =
    take '"';
    let buffer = Buffer.create 16 in
    let rec go () =
      match peek () with
      | '"' -> incr position
      | '\\' ->
          (* Escapes say nothing in the fields that are used: they are kept as they stand. *)
          Buffer.add_char buffer '\\';
          incr position;
          Buffer.add_char buffer (peek ());
          incr position;
          go ()
      | c ->
          Buffer.add_char buffer c;
          incr position;
          go ()
    in
    go ();
    Buffer.contents buffer
  in
  let rec value () =
    match peek () with
    | '"' -> Text (parse_text ())
    | '{' ->
        incr position;
        if peek () = '}' then (incr position; Object [])
        else
          let rec members found =
            let name = parse_text () in
            if List.mem_assoc name found then damaged "\"%s\" appears twice" name;
            take ':';
            let found = (name, value ()) :: found in
            if peek () = ',' then (incr position; members found)
            else (take '}'; Object (List.rev found))
          in
          members []
    | '[' ->
        incr position;
        if peek () = ']' then (incr position; List [])
        else
          let rec elements found =
            let found = value () :: found in
            if peek () = ',' then (incr position; elements found)
            else (take ']'; List (List.rev found))
          in
          elements []
    | 't' -> word "true" (Truth true)
    | 'f' -> word "false" (Truth false)
    | _ ->
        let begins = !position in
        let in_number c =
          (c >= '0' && c <= '9') || c = '-' || c = '+' || c = '.' || c = 'e' || c = 'E'
        in
        while !position < size && in_number text.[!position] do incr position done;
        if !position = begins then damaged "a value expected at column %d" (begins + 1);
        Number (String.sub text begins (!position - begins))
  in
  let result = value () in
  if !position <> size then damaged "text after the record";
  result

(* Frame *)

let crc_table =
  Array.init 256 (fun index ->
      let rec go crc bits =
        if bits = 0 then crc
        else go (if crc land 1 = 1 then 0xedb88320 lxor (crc lsr 1) else crc lsr 1) (bits - 1)
      in
      go index 8)

let crc32 text =
  let step crc c = crc_table.((crc lxor Char.code c) land 255) lxor (crc lsr 8) in
  String.fold_left step 0xffffffff text lxor 0xffffffff

let suffix_size = String.length ",\"crc32\":\"00000000\"}"

(* The members of a line without its checksum. *)
let members_of line =
  let size = String.length line - suffix_size in
  if size < 2 then damaged "no record";
  let before = String.sub line 0 size in
  if String.sub line size suffix_size <> Printf.sprintf ",\"crc32\":\"%08x\"}" (crc32 before) then
    damaged "the checksum does not match";
  match parse (before ^ "}") with
  | Object (("record", Text kind) :: members) -> (kind, members)
  | _ -> damaged "the first member is not \"record\""

(* Fields *)

type fields = { members : (string * json) list; mutable used : string list }

let optional fields name =
  fields.used <- name :: fields.used;
  List.assoc_opt name fields.members

let field fields name =
  match optional fields name with Some value -> value | None -> damaged "\"%s\" is missing" name

let as_number name = function Number text -> number_of text | _ -> damaged "\"%s\" is not a number" name
let as_text name = function Text text -> text | _ -> damaged "\"%s\" is not a string" name
let as_truth name = function Truth value -> value | _ -> damaged "\"%s\" is not true or false" name
let as_list name = function List values -> values | _ -> damaged "\"%s\" is not a list" name
let number fields name = as_number name (field fields name)
let text fields name = as_text name (field fields name)
let optional_number fields name = Option.map (as_number name) (optional fields name)

let finish fields =
  List.iter
    (fun (name, _) -> if not (List.mem name fields.used) then damaged "\"%s\" is unknown" name)
    fields.members

(* Fields of version 2 are unknown under a header of version 1. Version 3 adds records of external
   sorts, which are another operation, and fields of the input that say how its file is read. *)
let version_two = ref false
let required_in_two fields name = if !version_two then Some (number fields name) else None

let ignore_fields fields names = List.iter (fun name -> ignore (field fields name)) names

let digest_of fields =
  { d_count = number fields "count";
    d_low = hash_of (text fields "low");
    d_high = hash_of (text fields "high") }

let int_of name = function
  | Number text -> (
      match int_of_string_opt text with Some value -> value | None -> damaged "\"%s\" is too large" name)
  | _ -> damaged "\"%s\" is not a number" name

(* Records *)

let key_bits = function
  | "u32" | "i32" | "f32" -> 32
  | "u64" | "i64" | "f64" -> 64
  | "u128" | "i128" | "b128" -> 128
  | other -> damaged "key type '%s' is unknown" other

let empty_run =
  { t_keys = N0; t_gpus = N0; t_key_bits = N0; t_digit_bits = N0; t_tolerance_ppm = N0;
    t_ways = None; t_by_bucket = true; t_content = None; t_functions = []; t_histograms = [];
    t_placements = []; t_ownership = []; t_copies = []; t_ranges = []; t_digests = [];
    t_verdicts = [] }

let one_of name allowed value =
  if not (List.mem value allowed) then damaged "\"%s\" is '%s'" name value

let read_header fields =
  ignore (field fields "units");
  if text fields "format" <> "keyswap-trace" then damaged "not a trace of keyswap";
  let version = int_of "version" (field fields "version") in
  if version < 1 || version > 3 then damaged "version %d is unknown" version;
  version_two := version >= 2;
  List.iter (fun name -> ignore (text fields name)) [ "program"; "commit"; "created"; "device"; "driver" ];
  let algorithm = text fields "algorithm" and variant = text fields "variant" in
  let gpus = List.map (int_of "gpus") (as_list "gpus" (field fields "gpus")) in
  ignore (as_truth "virtual_gpus" (field fields "virtual_gpus"));
  one_of "direction" [ "ascending"; "descending" ] (text fields "direction");
  one_of "value_type" [ "none"; "32"; "64" ] (text fields "value_type");
  one_of "stability" [ "unstable"; "stable" ] (text fields "stability");
  one_of "zero_order" [ "total"; "equal" ] (text fields "zero_order");
  ignore (number fields "fuse_ppm");
  let content =
    match field fields "input" with
    | Object members ->
        let input = { members; used = [] } in
        ignore_fields input [ "distribution"; "seed"; "generator_version"; "file" ];
        ignore (optional input "parameter");
        let content =
          match optional input "content" with
          | Some (Object members) ->
              let content = { members; used = [] } in
              let digest = digest_of content in
              finish content;
              Some digest
          | Some _ -> damaged "\"content\" is not an object"
          | None -> None
        in
        if version >= 3 then
          List.iter (fun name -> ignore (optional input name)) [ "more_files"; "format"; "column" ];
        finish input;
        content
    | _ -> damaged "\"input\" is not an object"
  in
  let operation, layout, parameters =
    if version = 1 then ("sort", None, [])
    else
      let parameters =
        match field fields "parameters" with
        | Object members -> members
        | _ -> damaged "\"parameters\" is not an object"
      in
      (text fields "operation", Option.map (as_text "layout") (optional fields "layout"), parameters)
  in
  let ways =
    match algorithm with
    | "rmg" when operation = "sort" -> None
    | "sample-sort" when operation = "sort" -> (
        match List.assoc_opt "ways" parameters with
        | Some ways -> Some (as_number "ways" ways)
        | None -> damaged "sample sort without \"ways\"")
    | _ -> raise (Foreign (if operation = "sort" then algorithm else operation))
  in
  Option.iter (one_of "layout" [ "by_bucket"; "by_source"; "by_round" ]) layout;
  let by_bucket =
    match layout with
    | Some layout -> layout = "by_bucket"
    | None -> version > 1 || variant <> "fast"
  in
  { empty_run with
    t_keys = number fields "key_count";
    t_gpus = n_of_int (List.length gpus);
    t_key_bits = n_of_int (key_bits (text fields "key_type"));
    t_digit_bits = number fields "digit_bits";
    t_tolerance_ppm = number fields "tolerance_ppm";
    t_ways = ways;
    t_by_bucket = by_bucket;
    t_content = content }

let read_function fields =
  let fu_id = number fields "id" and fu_pass = number fields "pass" in
  let fu_prefix = number fields "prefix" in
  let buckets = int_of "buckets" (field fields "buckets") in
  if buckets < 1 || buckets > 65536 then damaged "%d buckets" buckets;
  let fu_buckets = n_of_int buckets in
  let images name = List.map (fun v -> image_of (as_text name v)) (as_list name (field fields name)) in
  let fu_rule =
    match text fields "rule" with
    | "splitters" ->
        let splitters = images "splitters" in
        let flags = List.of_seq (String.to_seq (text fields "equality")) in
        if List.exists (fun c -> c <> '0' && c <> '1') flags then damaged "\"equality\" is not 0 and 1";
        if List.length flags <> List.length splitters then damaged "as many flags as splitters";
        let tie_left =
          match text fields "tie" with
          | "left" -> true
          | "right" -> false
          | other -> damaged "\"tie\" is '%s'" other
        in
        Splitters (tie_left, List.map2 (fun s flag -> (s, flag = '1')) splitters flags)
    | "delta" ->
        let origin = image_of (text fields "origin") in
        Delta (origin, image_of (text fields "width"))
    | other -> damaged "no sort of keys divides by '%s'" other
  in
  { fu_id; fu_pass; fu_prefix; fu_buckets; fu_rule }

let read_histogram fields =
  let digits = int_of "digits" (field fields "digits") in
  if digits < 0 || digits > 65536 then damaged "%d digits" digits;
  let hi_counts =
    match (optional fields "counts", optional fields "nonzero") with
    | Some counts, None -> List.map (as_number "counts") (as_list "counts" counts)
    | None, Some pairs ->
        let counts = Array.make digits N0 in
        let last = ref (-1) in
        List.iter
          (function
            | List [ digit; count ] ->
                let digit = int_of "nonzero" digit and count = as_number "nonzero" count in
                if digit <= !last || digit >= digits then damaged "digit %d" digit;
                if count = N0 then damaged "digit %d has no keys" digit;
                last := digit;
                counts.(digit) <- count
            | _ -> damaged "\"nonzero\" is not a list of pairs")
          (as_list "nonzero" pairs);
        Array.to_list counts
    | _ -> damaged "\"counts\" or \"nonzero\" expected"
  in
  if List.length hi_counts <> digits then damaged "not as many counts as digits";
  { hi_pass = number fields "pass";
    hi_prefix = number fields "prefix";
    hi_gpu = number fields "gpu";
    hi_offset = number fields "offset";
    hi_function = (if !version_two then optional_number fields "function" else None);
    hi_counts }

let read_placement fields =
  { pl_pass = number fields "pass";
    pl_prefix = number fields "prefix";
    pl_begin = number fields "begin";
    pl_end = number fields "end";
    pl_first = number fields "first";
    pl_last = number fields "last";
    pl_state =
      (match text fields "state" with
      | "placed" -> Placed
      | "spanning" -> Spanning
      | "cut" -> Cut
      | other -> damaged "\"state\" is '%s'" other) }

let read_copy fields =
  { co_source = number fields "source";
    co_source_offset = number fields "source_offset";
    co_destination = number fields "destination";
    co_destination_offset = number fields "destination_offset";
    co_count = number fields "count";
    co_stage = Option.value (required_in_two fields "stage") ~default:N0 }

let read_digest fields =
  let stage = text fields "stage" in
  { dg_stage =
      (match stage with
      | "before_swap" -> BeforeSwap
      | "after_swap" -> AfterSwap
      | "after_sort" -> AfterSort
      | other -> damaged "a sort of keys has no digest '%s'" other);
    dg_gpu = number fields "gpu";
    dg_pass = number fields "pass";
    dg_prefix = number fields "prefix";
    dg_digest = digest_of fields }

(* One record more; lists are in reverse. *)
let add run kind fields =
  match kind with
  | "bucket_function" when !version_two -> { run with t_functions = read_function fields :: run.t_functions }
  | "histogram" -> { run with t_histograms = read_histogram fields :: run.t_histograms }
  | "placement" -> { run with t_placements = read_placement fields :: run.t_placements }
  | "ownership" ->
      let ow_gpu = number fields "gpu" and ow_base = number fields "base" in
      { run with t_ownership = { ow_gpu; ow_base; ow_count = number fields "count" } :: run.t_ownership }
  | "copy" -> { run with t_copies = read_copy fields :: run.t_copies }
  | "sort_range" ->
      let range =
        { ra_gpu = number fields "gpu";
          ra_offset = number fields "offset";
          ra_count = number fields "count";
          ra_begin_bit = number fields "begin_bit";
          ra_end_bit = number fields "end_bit" }
      in
      { run with t_ranges = range :: run.t_ranges }
  | "digest" -> { run with t_digests = read_digest fields :: run.t_digests }
  | "phase_time" ->
      ignore_fields fields [ "gpu"; "phase"; "pass"; "begin_ns"; "end_ns" ];
      run
  | "verdict" ->
      ignore (text fields "property");
      ignore (text fields "detail");
      { run with t_verdicts = as_truth "holds" (field fields "holds") :: run.t_verdicts }
  | other -> damaged "no run of this sort records '%s'" other

let reversed run =
  { run with
    t_functions = List.rev run.t_functions;
    t_histograms = List.rev run.t_histograms;
    t_placements = List.rev run.t_placements;
    t_ownership = List.rev run.t_ownership;
    t_copies = List.rev run.t_copies;
    t_ranges = List.rev run.t_ranges;
    t_digests = List.rev run.t_digests }

let read_all channel =
  let buffer = Buffer.create 65536 in
  (try
     while true do
       Buffer.add_char buffer (input_char channel)
     done
   with End_of_file -> ());
  Buffer.contents buffer

let read_run channel =
  let content = read_all channel in
  let begins = ref 0 and line_number = ref 0 in
  let next () =
    incr line_number;
    match String.index_from_opt content !begins '\n' with
    | Some ends ->
        let line = String.sub content !begins (ends - !begins) in
        begins := ends + 1;
        members_of line
    | None when !begins = String.length content -> damaged "the end record is missing"
    | None -> damaged "the line does not end"
  in
  let taken kind members read =
    let fields = { members; used = [] } in
    let result = read fields in
    finish fields;
    ignore kind;
    result
  in
  let rec go run records =
    match next () with
    | "end", members ->
        let count = taken "end" members (fun fields -> int_of "records" (field fields "records")) in
        if count <> records then damaged "%d records, %d announced" records count;
        if !begins <> String.length content then damaged "text behind the end record";
        reversed run
    | kind, members -> go (taken kind members (add run kind)) (records + 1)
  in
  try
    match next () with
    | "header", members -> go (taken "header" members read_header) 1
    | _ -> damaged "the first record is not the header"
  with Damaged reason -> damaged "line %d: %s" !line_number reason

(* Files *)

let with_file path read =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> read channel)

let magic path =
  with_file path (fun channel -> try really_input_string channel 4 with End_of_file -> "    ")

(* Compressed traces come through a pipe. *)
let run_of path =
  let through program =
    let channel = Unix.open_process_args_in program [| program; "-dc"; path |] in
    let result = try Ok (read_run channel) with failure -> Error failure in
    match (result, Unix.close_process_in channel) with
    | Ok run, Unix.WEXITED 0 -> run
    | Ok _, _ -> damaged "%s cannot decompress it" program
    | Error failure, _ -> raise failure
  in
  match magic path with
  | "\x28\xb5\x2f\xfd" -> through "zstd"
  | bytes when String.sub bytes 0 2 = "\x1f\x8b" -> through "gzip"
  | _ -> with_file path read_run

let reason = function
  | HeaderPossible -> "no run has such a header"
  | HistogramsAgree -> "histograms contradict each other, or buckets still span borders after the last pass"
  | HistogramsAsPlanned -> "histograms are not those of the refined buckets"
  | ColumnsFit -> "histograms do not have a count for each child"
  | FunctionsValid -> "bucket functions are not those of the refined buckets"
  | PlacementsAsPlanned -> "placements do not follow from the histograms"
  | OwnershipAsPlanned -> "ownership does not follow from the placements"
  | ReadsEachKeyOnce -> "copies do not read each key of each chunk once"
  | WritesEachPlaceOnce -> "copies do not write each place of each GPU's range once"
  | CopiesAsPlanned -> "copies are not the plan's"
  | RangesSort -> "sort ranges do not put every GPU's keys in order"
  | DigestsComplete -> "digests are not those of all parts"
  | SwapKeepsBuckets -> "a bucket's keys change in the swap"
  | SortKeepsBuckets -> "a bucket's keys change in the sort"
  | ContentKept -> "the keys before the swap are not those of the input"
  | VerdictsHold -> "the run's own check found its output wrong"

let status path =
  let say format = Printf.printf ("%s: " ^^ format ^^ "\n") path in
  match run_of path with
  | run -> (
      match first_failure run with
      | None when certify run -> say "certified"; 0
      | None -> say "not certified"; 1
      | Some check -> say "not certified: %s" (reason check); 1)
  | exception Foreign name ->
      say "could not run: the certifier knows rmg and sample-sort, not %s" name; 2
  | exception Damaged reason -> say "could not run: %s" reason; 2
  | exception Sys_error reason -> say "could not run: %s" reason; 2
  | exception Stack_overflow -> say "could not run: its values are nested too deep"; 2

let () =
  match List.tl (Array.to_list Sys.argv) with
  | [] -> prerr_endline "usage: keyswap-certify TRACE ..."; exit 2
  | paths -> exit (List.fold_left (fun worst path -> max worst (status path)) 0 paths)
