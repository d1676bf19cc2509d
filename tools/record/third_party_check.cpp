#include "tools/record/third_party_check.hpp"

#include "tools/record/process/deferred_signals.hpp"
#include "tools/record/process/parallel_runs.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>

namespace keyswap::conformance {

namespace {

namespace fs = std::filesystem;

/// Error for a sort that cannot be started.
InputError not_started(ThirdPartySort const& subject, ProcessResult const& end) {
    bool const is_command = subject.library.empty();
    std::string words = end.output_tail;
    while (!words.empty() && words.back() == '\n') {
        words.pop_back();
    }
    return {is_command ? subject.command : subject.library.string(),
            end.detail + (words.empty() ? "" : ": " + words),
            is_command ? "check that its first word is a program on PATH"
                       : "it needs int " + subject.function + "(void* keys, uint64_t n, ...)"};
}

/// Distributes runs to workers and collects their results, in any order.
class RunCollector {
  public:
    RunCollector(ThirdPartyRuns const& runs, PrivateFolder& folder)
        : runs_(runs), folder_(folder) {}

    /// Number of the next run; nullopt if none is wanted.
    std::optional<std::uint64_t> next() {
        bool const late =
            given_ > 0 && runs_.deadline && std::chrono::steady_clock::now() >= *runs_.deadline;
        bool const enough = given_ == runs_.run_count || error_ || report_.interrupted || late ||
                            report_.failure_count >= runs_.failure_count_max;
        return enough ? std::nullopt : std::optional(given_++);
    }

    void take(Expected<ThirdPartyRun> const& run) {
        if (!run) {
            error_ = run.error();
            return;
        }
        // After a completed run, it counts as a failure: earlier results are kept.
        if (run->end.end == ChildEnd::not_started && report_.run_count == 0) {
            error_ = not_started(runs_, run->end);
            return;
        }
        report_.interrupted = report_.interrupted || DeferredSignals::waiting();
        if (run->end.end == ChildEnd::interrupted) {
            report_.interrupted = true;
            return;
        }
        add(*run);
        if (runs_.on_run) {
            runs_.on_run();
        }
    }

    Expected<ThirdPartyReport> report() {
        if (error_) {
            return tl::unexpected(*error_);
        }
        if (report_.run_count > 1) {
            report_.rate_95 = failure_rate_interval(report_.failure_count, report_.run_count, 0.95);
        }
        report_.kinds.assign(kinds_.begin(), kinds_.end());
        if (!times_.empty()) {
            std::ranges::sort(times_);
            report_.times = RunTimes{times_.front(), times_[times_.size() / 2], times_.back()};
        }
        return report_;
    }

  private:
    void add(ThirdPartyRun const& run) {
        report_.left_running += run.end.left_running;
        report_.run_count += 1;
        if (run.end.end == ChildEnd::returned) {
            times_.push_back(run.end.duration);
        }
        if (run.holds()) {
            return;
        }
        ++report_.failure_count;
        ++kinds_[run.kind()];
        if (runs_.keeps_failure) {
            folder_.keep();
        }
        // Keeps only the files of the overall first failure; each process keeps those of its own.
        bool const is_first = !report_.first || run.number < report_.first->number;
        ThirdPartyRun const& other = is_first && report_.first ? *report_.first : run;
        if (!is_first || report_.first) {
            std::error_code ignored;
            fs::remove(other.input, ignored);
            fs::remove(other.output, ignored);
        }
        if (is_first) {
            report_.first = run;
        }
    }

    ThirdPartyRuns const& runs_;
    PrivateFolder& folder_;
    std::uint64_t given_ = 0;
    std::optional<InputError> error_;
    ThirdPartyReport report_;
    std::map<std::string, std::uint64_t> kinds_;
    std::vector<std::chrono::nanoseconds> times_;
};

/// Result of a run whose worker process died.
ThirdPartyRun lost_run(ThirdPartySort const& subject, std::uint64_t number) {
    ThirdPartyRun run;
    run.seed = seed_of(subject, number);
    run.number = number;
    run.end.end = DeferredSignals::waiting() ? ChildEnd::interrupted : ChildEnd::unknown;
    run.end.detail = "it ended or stopped the process that watches it";
    return run;
}

Expected<void> collect_in_processes(ThirdPartyRuns const& runs,
                                    std::vector<RunFiles>& files,
                                    RunCollector& collector) {
    return run_in_processes(runs.job_count,
                            {[&] { return collector.next(); },
                             [&](unsigned process, std::uint64_t run) {
                                 return encoded(run_once(runs, run, files[process]));
                             },
                             [&](std::uint64_t run, std::optional<std::string> const& result) {
                                 collector.take(result ? decoded_run(*result)
                                                       : lost_run(runs, run));
                             }});
}

} // namespace

Expected<ThirdPartyReport> run_third_party_sort(ThirdPartyRuns const& runs) {
    KEYSWAP_TRY(auto folder, PrivateFolder::make(runs.folder));
    std::vector<RunFiles> files;
    for (unsigned i = 0; i < runs.job_count; ++i) {
        KEYSWAP_TRY(
            auto of_one,
            RunFiles::make(folder.path(), runs.job_count == 1 ? std::nullopt : std::optional(i)));
        of_one.keeps_failures = runs.keeps_failure;
        files.push_back(std::move(of_one));
    }
    RunCollector collector(runs, folder);
    if (runs.job_count > 1) {
        KEYSWAP_RETURN_IF_ERROR(collect_in_processes(runs, files, collector));
    }
    while (auto const run = collector.next()) {
        collector.take(run_once(runs, *run, files.front()));
    }
    for (RunFiles const& of_one : files) {
        remove_folder(of_one.work);
    }
    return collector.report();
}

Expected<RunCounts> run_same_keys_again(ThirdPartyRuns const& runs, ThirdPartyRun const& failure) {
    constexpr std::uint64_t batch = 10;
    constexpr std::chrono::seconds time_max{10};
    ThirdPartyRuns again = runs;
    again.keys.seed = failure.seed;
    again.keys_of_runs = KeysOfRuns::same;
    again.run_count = batch;
    again.failure_count_max = batch;
    again.keeps_failure = false;
    again.on_run = {};
    again.deadline = std::chrono::steady_clock::now() + time_max;
    RunCounts sum;
    if (failure.end.duration >= time_max || failure.end.end == ChildEnd::timed_out) {
        return sum;
    }
    for (int i = 0; i < 2; ++i) {
        KEYSWAP_TRY(auto const report, run_third_party_sort(again));
        sum += report;
        if (!sum.is_intermittent() || report.interrupted) {
            break;
        }
    }
    return sum;
}

} // namespace keyswap::conformance
