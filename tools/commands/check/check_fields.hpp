#pragma once

/// \file Fields of the results of a check, for --json.

#include "model/check/multisplit_check.hpp"
#include "model/check/output_check.hpp"
#include "tools/text/document.hpp"
#include "tools/text/number_text.hpp"

namespace keyswap::tools {

void result_fields(model::Fingerprint const& fingerprint, auto& field) {
    field("count", fingerprint.count);
    field("sum", hash_text(fingerprint.sum));
    field("hash", hash_text(fingerprint.hash));
}

void result_fields(model::ContentFinding const& finding, auto& field) {
    field("shape", finding.shape);
    field("keys", finding.key_count);
    field("exact", finding.exact);
    field("from", finding.from);
    field("to", finding.to);
    field("sorted_index", finding.sorted_index);
    field("gpu", finding.gpu);
}

void result_fields(model::ValueFinding const& value, auto& field) {
    field("key", value.key);
    field("in_input", value.in_input);
    field("in_output", value.in_output);
}

void result_fields(model::OrderFinding const& order, auto& field) {
    field("shape", order.shape);
    field("first_unsorted", order.first_unsorted);
    field("sorted_runs", order.sorted_runs);
    field("chunk_of_gpu", order.chunk);
    field("output_file", order.part);
    field("key_before", order.key_before);
    field("key_at", order.key_at);
}

void result_fields(model::StartFinding const& finding, auto& field) {
    field("bucket", finding.bucket);
    field("promised", finding.promised);
    field("right", finding.right);
}

void result_fields(model::PlaceFinding const& finding, auto& field) {
    field("index", finding.index);
    field("key", finding.key);
    field("bucket", finding.bucket);
    field("place_bucket", finding.place_bucket);
}

void result_fields(model::StabilityFinding const& finding, auto& field) {
    field("index", finding.index);
    field("bucket", finding.bucket);
    field("key", finding.key);
    field("key_in_order", finding.key_in_order);
}

void result_fields(model::CauseGuess const& guess, auto& field) {
    field("cause", guess.cause);
    field("sentence", guess.sentence);
}

} // namespace keyswap::tools
