#pragma once

/// \file What a report is asked to show, resolved from files and options.

#include "simulator/study/certainty.hpp"
#include "simulator/study/rate_validation.hpp"
#include "simulator/study/simulation.hpp"
#include "simulator/study/validation.hpp"
#include "tools/options/algorithm_options.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/report/operation_data.hpp"
#include "tools/report/profile.hpp"
#include "tools/report/run_view.hpp"
#include "tools/text/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// As written on the command line.
struct ReportOptions {
    std::vector<std::string> files; ///< traces, profiles, measurements, answers of whatif
    std::optional<std::string> platform;
    std::optional<std::string> profile;
    std::vector<std::string> algorithms; ///< schedules of `simulate`; default_schedule() if none
    std::optional<std::uint64_t> key_count;
    std::string key_type = "u32";
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    std::optional<std::string> gpus;        ///< numbers on the platform
    std::optional<std::uint32_t> gpu_count; ///< of a plan without a platform
    GivenParameters parameters;             ///< of the algorithms, by name
    LoadOptions load;                       ///< of keys that no trace names, and of simulations
    double rate_tolerance = 0.0;            ///< of simulations; 0 = exact
    bool records_only = false;              ///< traces are verified without their keys

    [[nodiscard]] bool asks_for_nothing() const {
        return files.empty() && !platform && !key_count && !distribution;
    }
};

struct MeasuredFile {
    std::string file;
    simulator::Validation validation;
};

struct RateFile {
    std::string file;
    std::vector<simulator::PredictedRate> rows;
};

/// Everything that a report shows, computed.
struct ReportContent {
    std::vector<RunView> runs; ///< traces of sorts in the order of the files, then plans
    std::vector<OperationView>
        operations; ///< traces of what is not a sort, in the order of the files
    std::optional<simulator::Machine> machine;
    std::vector<simulator::Simulation> simulations;
    std::vector<simulator::Certainty> certainties; ///< of the simulations, in their order
    std::vector<MeasuredFile> measurements;
    std::vector<RateFile> rates;
    std::vector<Profile> profiles; ///< exports of Nsight Systems, in the order of the files
    std::vector<Json> sweeps;      ///< as sweep_data() gives them
};

/// Reads the files, plans and simulates.
/// \return an error where a file is of no known kind, options contradict each other or there is
///         nothing to show
[[nodiscard]] Expected<ReportContent> report_content(ReportOptions const& options);

/// The document that the page shows.
/// \param command what repeats it
[[nodiscard]] Json report_document(ReportContent const& content, std::string const& command);

} // namespace keyswap::tools
