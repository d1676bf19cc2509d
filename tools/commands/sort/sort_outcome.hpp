#pragma once

/// \file What `keyswap sort` does with the result of a sort in memory: checks, prints and writes
/// it.

#include "model/keys/key_file.hpp"
#include "model/sorts/rmg/record_plan.hpp"
#include "tools/backends/key_memory.hpp"
#include "tools/commands/sort/sort_values.hpp"
#include "tools/options/sort_request.hpp"
#include "tools/text/json.hpp"
#include "tools/text/plan_account.hpp"
#include "traces/format/trace_writer.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

namespace keyswap::tools {

/// Files that the sort writes; each appears under its name only once it is complete.
struct SortOutputs {
    std::unique_ptr<model::KeyFileWriter> keys;
    std::unique_ptr<model::KeyFileWriter> values;
    std::unique_ptr<model::StoredKeys> given_values; ///< null if values are the keys' indices
    std::optional<TraceWriter> trace;
};

/// What checking the replay's result found.
struct SortOutcome {
    std::vector<VerdictRecord> verdicts;
    double seconds = 0; ///< planning and replay; of real GPUs the sort alone

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(verdicts, [](VerdictRecord const& v) { return v.holds; });
    }
};

/// The header of a trace of a sort that the reference carries out.
[[nodiscard]] RunHeader sort_run_header(SortRequest const& request,
                                        model::SortPlan const& plan,
                                        MultisetDigest const& content);

/// Carries the plan out and checks the result. \param sink null = none
[[nodiscard]] SortOutcome replay_and_check(model::SortPlan const& plan,
                                           KeyMemory& memory,
                                           MultisetDigest const& before,
                                           TraceSink* sink);

void print_verdicts(SortOutcome const& outcome, std::ostream& out);

void print_replayed_sort(SortRequest const& request,
                         model::SortPlan const& plan,
                         SortOutcome const& outcome,
                         AccountDetail detail,
                         std::ostream& out);

/// Prints JSON. \param account what the backend adds: {"plan": ...} or {"run": ...}
void print_sort_result(SortRequest const& request,
                       SortOutcome const& outcome,
                       MultisetDigest const& digest,
                       Json const& account);

/// Writes what was sorted. Keys that do not hold are not written: a wrong file would be worse than
/// none. The trace is, since it says what was wrong.
[[nodiscard]] Expected<void>
write_sort_outputs(SortOutputs& outputs, KeyMemory& memory, SortOutcome const& outcome);

} // namespace keyswap::tools
