#pragma once

/// \file JSON fields of the records in a sort's result.

#include "tools/text/document.hpp"
#include "tools/text/number_text.hpp"
#include "traces/records/records.hpp"

namespace keyswap::tools {

void result_fields(VerdictRecord const& verdict, auto& field) {
    field("property", verdict.property);
    field("holds", verdict.holds);
    field("detail", verdict.detail);
}

void result_fields(MultisetDigest const& digest, auto& field) {
    field("count", digest.count);
    field("hash", hash_text(digest.high) + hash_text(digest.low));
}

void result_fields(SequenceDigest const& digest, auto& field) {
    field("count", digest.count);
    field("hash", hash_text(digest.high) + hash_text(digest.low));
}

} // namespace keyswap::tools
