/// \file Checks the header's labels, which no other record confirms.

#include "model/verify/run_checks.hpp"
#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace keyswap::model::verify {

namespace {

/// Variant of replays on the CPU; not in the catalogue.
constexpr std::string_view replayed_variant = "reference";

std::string in_quotes(std::string_view name) {
    return '"' + std::string(name) + '"';
}

/// Splits "warp,block" at commas.
std::set<std::string> listed(std::string const& list) {
    std::set<std::string> parts;
    for (std::size_t begin = 0; begin < list.size();) {
        std::size_t const end = std::min(list.find(',', begin), list.size());
        parts.insert(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

void list_sort_labels(RunHeader const& header, Report& report) {
    auto const algorithm = find_algorithm_info(header.algorithm);
    if (!algorithm) {
        return; // reported by other checks
    }
    auto const not_checked = [&report](std::string reason) {
        report.skip(Check::input, std::move(reason));
    };
    if ((*algorithm)->operation != Operation::sort) {
        not_checked("the label " + in_quotes(header.algorithm) + ", which is not a sort");
    }
    bool const replayed = header.variant.empty() || header.variant == replayed_variant;
    if (!replayed && !find_variant(**algorithm, header.variant)) {
        not_checked("the label " + in_quotes(header.variant) + ", which is not a variant of " +
                    header.algorithm);
    }
    // A replay is always stable, whatever its algorithm guarantees.
    if (!replayed && header.stability == Stability::stable &&
        (*algorithm)->stability == Stability::unstable) {
        not_checked("the label " + in_quotes(to_string(Stability::stable)) + ", which " +
                    header.algorithm + " does not promise");
    }
}

} // namespace

void list_unchecked_labels(RecordedRun const& run, Report& report) {
    RunHeader const& header = run.header;
    auto const gpus = std::set(header.gpus.begin(), header.gpus.end());
    if (!header.virtual_gpus && gpus.size() < header.gpus.size()) {
        report.skip(Check::input,
                    "the label \"virtual_gpus\": false, though one of its GPUs is listed twice");
    }
    if (header.operation == Operation::histogram && !header.variant.empty()) {
        report.skip(Check::input,
                    "the label " + in_quotes(header.variant) + ", as histograms have no variants");
    }
    if (header.operation == Operation::sort) {
        list_sort_labels(header, report);
        return;
    }
    if (header.algorithm != to_string(header.operation)) {
        report.skip(Check::input,
                    "the label " + in_quotes(header.algorithm) + " of a " +
                        std::string(to_string(header.operation)));
    }
    std::set<std::string> methods;
    for (PartitionRecord const& record : run.partitions) {
        methods.insert(record.method);
    }
    if (!methods.empty() && header.variant != "all" && listed(header.variant) != methods) {
        report.skip(Check::partitions,
                    "the label " + in_quotes(header.variant) +
                        ", which names other methods than the records");
    }
}

} // namespace keyswap::model::verify
