#pragma once

/// \file `keyswap validate` for the output of nccl-tests.

#include "tools/commands/validate/nccl_tests.hpp"
#include "tools/commands/validate/validate_options.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// Measured time of one size, and its prediction.
struct ValidatedCollective {
    CollectiveRun measured;
    simulator::CollectivePrediction predicted;

    [[nodiscard]] double measured_ms() const { return measured.time_us * 1e-3; }
    /// Relative error; positive if the predicted time is too long.
    [[nodiscard]] double error() const { return predicted.total_ms / measured_ms() - 1.0; }
    [[nodiscard]] bool is_inside() const {
        return measured_ms() >= predicted.low_ms && measured_ms() <= predicted.high_ms;
    }
};

/// \return an error if the machine has fewer GPUs than the tests had ranks
[[nodiscard]] Expected<std::vector<ValidatedCollective>>
validate_operation(simulator::Machine const& machine,
                   NcclTests const& tests,
                   simulator::CollectiveKind kind,
                   std::vector<std::uint32_t> const& gpus);

/// Statistics of the errors over all sizes.
[[nodiscard]] simulator::ErrorSummary summary_of(std::vector<ValidatedCollective> const& rows);
[[nodiscard]] simulator::Coverage coverage_of(std::vector<ValidatedCollective> const& rows);

/// Prints predicted and measured times for each size.
/// \return whether the limits hold; an error if operation, GPUs or machine are unknown
[[nodiscard]] Expected<ExitCode> validate_nccl_tests(ValidateOptions const& options,
                                                     std::string const& path,
                                                     std::string const& text);

} // namespace keyswap::tools
