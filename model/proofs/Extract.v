(** The certifier as OCaml. Numbers stay Coq's binary ones: no overflow can happen, and no
    arithmetic of OCaml is trusted. *)

Require Import Certify.
Require Import Extraction.
Require Import ExtrOcamlBasic.

Extraction Language OCaml.
Extraction "certifier.ml" certify first_failure.
