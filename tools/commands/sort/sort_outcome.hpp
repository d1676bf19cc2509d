#pragma once

/// \file Result of an in-memory `keyswap sort`: checks it, prints it and writes the output
/// files.

#include "model/key_files/key_file.hpp"
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

/// Output files; each gets its final name only once complete.
struct SortOutputs {
    std::unique_ptr<model::KeyFileWriter> keys;
    std::unique_ptr<model::KeyFileWriter> values;
    std::unique_ptr<model::StoredKeys> given_values; ///< null if values are input indices
    std::optional<TraceWriter> trace;
};

/// Verdicts on a sort's result.
struct SortOutcome {
    std::vector<VerdictRecord> verdicts;
    double seconds = 0; ///< planning and replay; on GPUs the sort alone

    [[nodiscard]] bool holds() const {
        return std::ranges::all_of(verdicts, [](VerdictRecord const& v) { return v.holds; });
    }
};

/// Trace header of a sort by the reference.
[[nodiscard]] RunHeader sort_run_header(SortRequest const& request,
                                        model::SortPlan const& plan,
                                        MultisetDigest const& content);

/// Replays the plan and checks the result. \param sink null: records nothing
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

/// Prints JSON. \param account backend-specific part: {"plan": ...} or {"run": ...}
void print_sort_result(SortRequest const& request,
                       SortOutcome const& outcome,
                       MultisetDigest const& digest,
                       Json const& account);

/// Writes the output files. Omits keys that fail the check, since a wrong file is worse than none,
/// but keeps the trace, which shows the error.
[[nodiscard]] Expected<void>
write_sort_outputs(SortOutputs& outputs, KeyMemory& memory, SortOutcome const& outcome);

} // namespace keyswap::tools
