#pragma once

/// \file Changes any single field of any record. The fields come from
/// traces/format/trace_fields.hpp, so new fields are covered automatically.

#include "model/verify/recorded_run.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Selects a record, a field and a new value.
struct FieldChange {
    std::size_t record = 0;   ///< index into records_of(run), modulo its size
    std::size_t field = 0;    ///< index into the record's fields, modulo their number
    std::uint64_t choice = 0; ///< selects the new value
};

/// Names of a changed record and field, for a table.
struct ChangedField {
    std::string record; ///< "copy"
    std::string field;  ///< "source_offset"
};

/// Changes the field in place; nullopt if the new value equals the old one.
[[nodiscard]] std::optional<ChangedField> change_field(std::vector<TraceRecord>& records,
                                                       FieldChange const& change);

/// Changes of one run for a test: every field of every kind of record once, at a record drawn for
/// it, and then 20 of any records, half of them of the header. Rare fields (the labels of a bucket
/// function) are therefore changed in each run that has them, whatever the seed.
/// \pre records begin with the header
[[nodiscard]] std::vector<FieldChange> changes_of_run(std::vector<TraceRecord> const& records,
                                                      std::uint64_t seed);

} // namespace keyswap::proptests
