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
#include "traces/format/publication.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Options of `keyswap report`, as the user gave them.
struct ReportOptions : LoadOptions {
    std::vector<std::string> files; ///< traces, profiles, measurements, results of whatif
    std::optional<std::string> platform;
    std::vector<std::string> algorithms; ///< schedules of `simulate`; empty: default_schedule()
    std::optional<std::uint64_t> key_count;
    std::optional<std::string> gpus;        ///< GPU numbers of the platform
    std::optional<std::uint32_t> gpu_count; ///< of a plan without platform
    GivenParameters parameters;             ///< of the algorithms, by name
    bool records_only = false;              ///< verify traces without their keys
    std::optional<std::string> output;      ///< file of the page
    std::vector<std::string> figures;       ///< by name; stacked in one file
    std::optional<std::string> figure_file; ///< extension selects the format: .svg, .pdf, .csv
    std::optional<std::string> figure_size; ///< "page" (default) or "column"
    bool list_figures = false;
    std::optional<std::string> tables; ///< folder
    std::optional<std::string> matrix;
    std::optional<std::string> chrome_trace;
    Existing existing = Existing::keep;
    bool json = false;
    CLI::App const* command = nullptr; ///< parsed these options; must outlive the run

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
