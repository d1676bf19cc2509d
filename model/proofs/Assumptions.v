(** What the theorems rest on: nothing but Coq. [prove] fails if this prints anything else. *)

Require Import Certified.

Print Assumptions rmg_sort.
Print Assumptions sample_sort.
Print Assumptions certify_correct.
