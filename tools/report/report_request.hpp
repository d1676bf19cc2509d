#pragma once

/// \file Resolves the files and options of a report to its content.

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/options/algorithm_options.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/report/profiles/profile.hpp"
#include "tools/report/run_view.hpp"
#include "tools/report/sections/operation_data.hpp"
#include "tools/text/json.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// As the user gave them.
struct ReportOptions {
    std::vector<std::string> files; ///< traces, profiles, measurements, results of whatif
    std::optional<std::string> platform;
    std::optional<std::string> profile;
    std::vector<std::string> algorithms; ///< schedules of `simulate`; empty: default_schedule()
    std::optional<std::uint64_t> key_count;
    std::string key_type = "u32";
    std::optional<std::string> distribution;
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    std::optional<std::string> gpus;        ///< GPU numbers of the platform
    std::optional<std::uint32_t> gpu_count; ///< of a plan without platform
    GivenParameters parameters;             ///< of the algorithms, by name
    LoadOptions load;                       ///< of simulations, and of keys that no trace defines
    double rate_tolerance = 0.0;            ///< of simulations; 0: exact
    bool records_only = false;              ///< verify traces without their keys

    [[nodiscard]] bool is_empty_request() const {
        return files.empty() && !platform && !key_count && !distribution;
    }
};

/// Everything that a report shows.
struct ReportContent {
    std::vector<RunView> runs; ///< traces of sorts in the order of the files, then plans
    std::vector<OperationView> operations; ///< traces of other operations, in file order
    std::optional<simulator::Machine> machine;
    std::vector<simulator::Simulation> simulations;
    std::vector<simulator::Certainty> certainties; ///< [simulations]
    std::vector<Profile> profiles;                 ///< Nsight Systems exports, in file order
    std::vector<Json> measurements;                ///< from validation_data()
    std::vector<Json> rates;                       ///< from rates_data()
    std::vector<Json> sweeps;                      ///< from sweep_data()
};

/// Reads the files, then plans and simulates.
/// \return an error if a file is of unknown kind, options contradict each other or there is nothing
/// to show
[[nodiscard]] Expected<ReportContent> report_content(ReportOptions const& options);

/// Document of the page.
/// \param command command line that reproduces it
[[nodiscard]] Json report_document(ReportContent const& content, std::string const& command);

} // namespace keyswap::tools
