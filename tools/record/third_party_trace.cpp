#include "tools/record/third_party_trace.hpp"

#include "model/distributions/counter_generator.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

namespace keyswap::conformance {

namespace {

std::string percent(double share) {
    std::ostringstream text;
    constexpr double small = 0.1; // below, one more digit is significant
    text << std::fixed << std::setprecision(share < small ? 2 : 0) << share * 100 << " %";
    return text.str();
}

std::string time_text(std::chrono::nanoseconds time) {
    constexpr double ns_per_us = 1e3;
    constexpr double ns_per_ms = 1e6;
    constexpr double ns_per_s = 1e9;
    auto const ns = static_cast<double>(time.count());
    return ns < ns_per_ms  ? tools::printed("%.3g us", ns / ns_per_us)
           : ns < ns_per_s ? tools::printed("%.3g ms", ns / ns_per_ms)
                           : tools::printed("%.3g s", ns / ns_per_s);
}

/// Columns as text, "0 4 . 4 8 !": lowest place, highest place, and ! if a key is wrong.
std::string columns_text(WrongPlaces const& places) {
    return joined_text(places.columns, " ", [](PlaceColumn const& column) {
        return std::to_string(column.lowest) + ' ' + std::to_string(column.highest) +
               (column.wrong ? " !" : " .");
    });
}

} // namespace

ThirdPartyReport sum_of(std::vector<ThirdPartyCase> const& cases) {
    KEYSWAP_EXPECTS(!cases.empty());
    ThirdPartyReport sum;
    std::map<std::string, std::uint64_t> kinds;
    for (ThirdPartyCase const& one : cases) {
        sum += one.report;
        sum.left_running += one.report.left_running;
        sum.interrupted = sum.interrupted || one.report.interrupted;
        for (auto const& [kind, count] : one.report.kinds) {
            kinds[kind] += count;
        }
    }
    sum.kinds.assign(kinds.begin(), kinds.end());
    sum.first = shown_case(cases).report.first;
    if (cases.size() == 1) {
        sum.times = cases.front().report.times;
        sum.rate_95 = cases.front().report.rate_95;
    }
    return sum;
}

ThirdPartyCase const& shown_case(std::vector<ThirdPartyCase> const& cases) {
    KEYSWAP_EXPECTS(!cases.empty());
    auto const keys_of_failure = [](ThirdPartyCase const& one) {
        return one.report.first ? one.keys.key_count : std::numeric_limits<std::uint64_t>::max();
    };
    return *std::ranges::min_element(cases, {}, keys_of_failure);
}

std::string rate_text(ThirdPartyReport const& report) {
    std::string const text = failures_text(report) + " failed";
    return report.rate_95
               ? text + "; the failure rate is, with 95 % confidence, between " +
                     percent(report.rate_95->lower) + " and " + percent(report.rate_95->upper)
               : text;
}

std::string failures_text(RunCounts const& runs) {
    return std::to_string(runs.failure_count) + " of " + std::to_string(runs.run_count) +
           (runs.run_count == 1 ? " run" : " runs");
}

std::string shrinking_text(ShrunkFailure const& shrunk) {
    return shrunk.minimal ? "without any one of them no run failed"
                          : "not every smaller subset of the keys was tried";
}

std::string place_text(WrongPlace const& place) {
    return "index " + std::to_string(place.index) + " has " +
           (place.found.empty() ? "no key" : place.found) + ", and " +
           (place.expected.empty() ? "none" : place.expected) + " belongs there";
}

std::string times_text(RunTimes const& times, std::uint64_t key_count) {
    std::string text = time_text(times.least) + " minimum, " + time_text(times.median) +
                       " median, " + time_text(times.most) + " maximum";
    if (key_count > 0 && times.median.count() > 0) {
        constexpr double per_us = 1e3; // keys/ns to Mkeys/s
        text += tools::printed(" (%.3g Mkeys/s at the median)",
                               per_us * static_cast<double>(key_count) /
                                   static_cast<double>(times.median.count()));
    }
    return text;
}

std::string case_text(model::KeyRequest const& keys) {
    return keys.distribution + ", " + tools::counted(keys.key_count, "key");
}

RunHeader header_of(ThirdPartySort const& subject, std::vector<ThirdPartyCase> const& cases) {
    auto const& [keys, report] = shown_case(cases);
    RunHeader header;
    header.program =
        subject.library.empty() ? subject.command : subject.library.filename().string();
    header.algorithm = third_party_algorithm;
    header.key_count = keys.key_count;
    header.gpus = {0};
    header.virtual_gpus = true;
    static_cast<SortShape&>(header) = shape_of(subject);
    header.key_type = keys.key_type;
    header.input.parameter = keys.parameter;
    if (zoo_entry_of(keys) ||
        subject.given_keys) { // neither is a distribution; the failure's keys are in a file
        header.input.distribution = "file";
        header.input.file = report.first && !report.first->input.empty()
                                ? report.first->input.string()
                                : keys.distribution;
    } else {
        header.input.distribution = keys.distribution;
    }
    header.input.seed = report.first ? report.first->seed : keys.seed;
    header.input.generator_version = model::generator_version;
    return header;
}

std::vector<VerdictRecord> recorded_verdicts(std::vector<ThirdPartyCase> const& cases,
                                             FailureRecord const& failure) {
    ThirdPartyReport const sum = sum_of(cases);
    std::vector<VerdictRecord> verdicts{
        {std::string(runs_property), sum.failure_count == 0, rate_text(sum)}};
    if (cases.size() > 1) {
        for (auto const& [keys, report] : cases) {
            verdicts.push_back({std::string(case_property),
                                report.failure_count == 0,
                                case_text(keys) + ": " + rate_text(report)});
        }
    }
    auto const& [keys, report] = shown_case(cases);
    if (report.times) {
        verdicts.push_back(
            {std::string(times_property), true, times_text(*report.times, keys.key_count)});
    }
    if (!report.first) {
        verdicts.push_back({"sorted", true, {}});
        verdicts.push_back({"permutation", true, {}});
        return verdicts;
    }
    ProcessResult const& end = report.first->end;
    if (end.end != ChildEnd::returned) {
        std::string const detail = end.detail.empty() ? "" : ": " + end.detail;
        verdicts.push_back({"returned", false, std::string(to_string(end.end)) + detail});
    }
    verdicts.insert(verdicts.end(), report.first->verdicts.begin(), report.first->verdicts.end());
    auto const add = [&](std::string_view property, std::string const& detail) {
        if (!detail.empty()) {
            verdicts.push_back({std::string(property), true, detail});
        }
    };
    ThirdPartyRun const& shown = failure.shrunk ? failure.shrunk->run : *report.first;
    for (WrongPlace const& place : shown.places.first) {
        add(wrong_place_property, place_text(place));
    }
    add(columns_property, columns_text(shown.places));
    add(repeat_property, failure.repeat);
    if (failure.shrunk) {
        add(smallest_property,
            tools::counted(failure.shrunk->keys_after, "key") + ", of " +
                tools::counted(failure.shrunk->keys_before, "key") + ": " + failure.shrunk_repeat);
    }
    return verdicts;
}

} // namespace keyswap::conformance
