#include "model/distributions/key_generator.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/properties/change_harm.hpp"
#include "proptests/properties/field_change.hpp"
#include "proptests/properties/reference_run.hpp"
#include "tools/fuzz/fuzzing.hpp"

#include <array>
#include <cstring>
#include <map>
#include <numeric>
#include <vector>

namespace {

using namespace keyswap;
using namespace keyswap::fuzzing;
using model::verify::RecordedRun;

/// A small run for a number: algorithm, keys, GPUs and parameters.
RunHeader header_of(std::uint8_t number) {
    constexpr std::array algorithms{"rmg", "rmg", "p2p-merge", "het-merge"};
    constexpr std::array distributions{"uniform", "zipf", "zero", "nearly-sorted"};
    constexpr std::array types{KeyType::u32, KeyType::f64, KeyType::i64, KeyType::f32};
    RunHeader header;
    header.program = "keyswap";
    header.algorithm = algorithms[number % algorithms.size()];
    header.variant = "reference";
    header.virtual_gpus = true;
    header.key_count = 24;
    header.gpus.resize(header.algorithm == "p2p-merge" ? 4 : 3);
    std::iota(header.gpus.begin(), header.gpus.end(), 0);
    header.key_type = types[number / 4 % types.size()];
    header.stability = Stability::stable;
    header.value_type = number / 64 % 2 == 0 ? ValueType::none : ValueType::bits32;
    header.version = 1 + number / 128;
    header.tolerance_ppm = 100'000;
    header.input.distribution = distributions[number / 16 % distributions.size()];
    header.input.seed = number;
    header.input.generator_version = model::generator_version;
    return header;
}

/// Limits for the checker: larger ones only slow down every input.
model::verify::VerifyLimits limits() {
    model::verify::VerifyLimits limits;
    limits.memory_bytes = 1 << 26;
    limits.regenerated_keys_max = 10'000;
    return limits;
}

/// A run, with the number of properties that are unchecked before any change.
struct KnownRun {
    RecordedRun run;
    std::size_t unchecked = 0;
};

/// Cached, since generating a run takes longer than checking it.
KnownRun const& run_of(std::uint8_t number) {
    static std::map<std::uint8_t, KnownRun> runs;
    auto const known = runs.find(number);
    if (known != runs.end()) {
        return known->second;
    }
    RunHeader const header = header_of(number);
    auto run = proptests::record_reference(header);
    require(run.has_value(), "a run can be made");
    if (header.version == 1 && run->header.version > 1) {
        run = proptests::as_version_1(*run);
    }
    auto const report = model::verify::verify_run(*run, limits());
    require(report.has_value() && report->holds(), "a run agrees before it is changed");
    return runs.emplace(number, KnownRun{std::move(*run), report->unchecked.size()}).first->second;
}

/// Bytes of a change: two for the record, one for the field, four for the new value.
constexpr std::size_t change_bytes = 7;

proptests::FieldChange change_at(std::uint8_t const* data) {
    std::uint32_t choice = 0;
    std::memcpy(&choice, data + 3, sizeof(choice));
    // Prefers the header: one of hundreds of records, but all others depend on it.
    std::size_t const record = data[0] < 64 ? 0 : data[0] + 256 * std::size_t{data[1]};
    return {record, data[2], choice};
}

} // namespace

/// First byte: a recorded run; each following seven bytes: a change of a record's field. The
/// checker detects the change, or the change is proved harmless without the checker.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    constexpr std::size_t changes_max = 3;
    if (size < 1 + change_bytes || size > 1 + changes_max * change_bytes) {
        return -1;
    }
    auto const& [run, unchecked] = run_of(data[0]);
    auto records = records_of(run);
    std::vector<proptests::ChangedField> fields;
    for (std::size_t at = 1; at + change_bytes <= size; at += change_bytes) {
        if (auto const field = proptests::change_field(records, change_at(data + at))) {
            fields.push_back(*field);
        }
    }
    RecordedRun const changed = model::verify::recorded_run_of("changed", records);
    if (fields.empty() || records == records_of(run)) {
        return 0;
    }
    auto const report = model::verify::verify_run(changed, limits());
    bool const noticed = !report || !report->holds() || report->unchecked.size() > unchecked;
    if (noticed) {
        return 0;
    }
    auto const harm = proptests::observable_change(changed, fields);
    std::string names;
    for (auto const& field : fields) {
        names += ' ' + field.record + '.' + field.field;
    }
    require(!harm, "a change is found or harmless:" + names + ": " + harm.value_or(""));
    return 0;
}
