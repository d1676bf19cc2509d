#pragma once

/// \file `keyswap validate` of what nccl-tests print.

#include "tools/commands/validate/nccl_tests.hpp"
#include "tools/commands/validate/validate_options.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// A measured size and its prediction.
struct ValidatedCollective {
    CollectiveRun measured;
    simulator::CollectivePrediction predicted;

    [[nodiscard]] double measured_ms() const { return measured.time_us * 1e-3; }
    /// Above 0 where the prediction is too slow.
    [[nodiscard]] double error() const { return predicted.total_ms / measured_ms() - 1.0; }
    [[nodiscard]] bool is_inside() const {
        return measured_ms() >= predicted.low_ms && measured_ms() <= predicted.high_ms;
    }
};

/// \return an error where the machine has fewer GPUs than there were ranks
[[nodiscard]] Expected<std::vector<ValidatedCollective>>
validate_operation(simulator::Machine const& machine,
                   NcclTests const& tests,
                   simulator::CollectiveKind kind,
                   std::vector<std::uint32_t> const& gpus);

/// Errors of all sizes.
[[nodiscard]] simulator::ErrorSummary summary_of(std::vector<ValidatedCollective> const& rows);
[[nodiscard]] simulator::Coverage coverage_of(std::vector<ValidatedCollective> const& rows);

/// Prints predictions beside measured times, size by size.
/// \return whether the limits hold; an error if the operation, its GPUs or the machine are unknown
[[nodiscard]] Expected<ExitCode> validate_nccl_tests(ValidateOptions const& options,
                                                     std::string const& path,
                                                     std::string const& text);

} // namespace keyswap::tools
