#include "tools/record/shrunk_failure.hpp"

#include "model/check/shown_key.hpp"
#include "model/keys/key_arrays.hpp"
#include "model/keys/key_order.hpp"
#include "tools/record/case_keys.hpp"
#include "tools/record/failing_keys.hpp"
#include "tools/record/process/deferred_signals.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

namespace keyswap::conformance {

namespace {

using Clock = std::chrono::steady_clock;
using Keys = std::vector<std::uint64_t>;

Keys images_of(KeyType type, std::vector<std::byte> const& bytes) {
    return model::with_key_type(type, [&]<class Key>(Key key) {
        Keys images(bytes.size() / sizeof(Key));
        for (std::size_t i = 0; i < images.size(); ++i) {
            std::memcpy(&key, bytes.data() + i * sizeof(Key), sizeof(Key));
            images[i] = static_cast<std::uint64_t>(model::image_of(key));
        }
        return images;
    });
}

std::vector<std::byte> bytes_of(KeyType type, Keys const& images) {
    return model::with_key_type(type, [&]<class Key>(Key key) {
        std::vector<std::byte> bytes(images.size() * sizeof(Key));
        for (std::size_t i = 0; i < images.size(); ++i) {
            key = model::key_of<Key>(static_cast<model::ImageOf<Key>>(images[i]));
            std::memcpy(bytes.data() + i * sizeof(Key), &key, sizeof(Key));
        }
        return bytes;
    });
}

std::uint64_t simple_image(KeyType type, std::uint64_t rank) {
    return model::with_key_type(type, [&]<class Key>(Key) {
        return static_cast<std::uint64_t>(model::image_of(static_cast<Key>(rank)));
    });
}

std::vector<std::string> shown_keys(KeyType type, Keys const& images) {
    return model::with_key_type(type, [&]<class Key>(Key) {
        using Image = model::ImageOf<Key>;
        std::vector<std::string> texts;
        for (std::uint64_t const image : images) {
            Key const key = model::key_of<Key>(static_cast<Image>(image));
            texts.push_back(model::shown_key(type, std::bit_cast<Image>(key)));
        }
        return texts;
    });
}

/// True if two runs failed in the same way: wrong output, crash, timeout ...
bool fail_alike(ThirdPartyRun const& a, ThirdPartyRun const& b) {
    auto const way = [](ChildEnd end) {
        return end == ChildEnd::out_of_bounds ? ChildEnd::killed : end;
    };
    return way(a.end.end) == way(b.end.end);
}

class Shrinking {
  public:
    Shrinking(ThirdPartyRuns runs, ThirdPartyRun const& failure, std::chrono::milliseconds time_max)
        : runs_(std::move(runs)), failure_(failure), time_max_(time_max),
          deadline_(Clock::now() + time_max) {
        runs_.keys.seed = failure.seed;
        runs_.keys_of_runs = KeysOfRuns::same;
        runs_.on_run = {};
        runs_.keeps_failure = false;
        runs_.deadline = deadline_;
    }

    Expected<std::optional<ShrunkFailure>> result() {
        KEYSWAP_TRY(auto const made,
                    runs_.given_keys ? Expected<std::vector<std::byte>>(*runs_.given_keys)
                                     : case_keys(runs_.keys));
        KeyType const type = runs_.keys.key_type;
        Keys keys = images_of(type, made);
        ShrunkFailure shrunk;
        shrunk.keys_before = keys.size();
        auto const start = Clock::now();
        choose_tries(keys);
        if (error_) {
            return tl::unexpected(*error_);
        }
        if (tries_ == 0) {
            return std::nullopt;
        }
        FailingKeys const smallest =
            smallest_failing_keys(std::move(keys),
                                  {[&](Keys const& some) { return fails(some); },
                                   [&] { return time_left(); },
                                   [&](std::uint64_t rank) { return simple_image(type, rank); }});
        shrunk.run_count = run_count_;
        shrunk.time = Clock::now() - start;
        if (!error_) {
            rerun_smallest(smallest.keys, shrunk);
        }
        if (error_) {
            return tl::unexpected(*error_);
        }
        shrunk.keys_after = smallest.keys.size();
        shrunk.minimal = smallest.minimal;
        if (smallest.keys.size() <= shrunk_keys_shown_max) {
            shrunk.keys = shown_keys(type, smallest.keys);
        }
        return shrunk.run.end.end == ChildEnd::returned && shrunk.run.holds()
                   ? std::nullopt
                   : std::optional(std::move(shrunk));
    }

  private:
    static constexpr std::uint64_t tries_max = 500;
    static constexpr double certainty = 0.95;

    [[nodiscard]] bool time_left() const {
        return !error_ && !DeferredSignals::waiting() && Clock::now() < deadline_;
    }

    ThirdPartyReport run(Keys const& keys, std::uint64_t count, std::uint64_t failure_count_max) {
        runs_.given_keys =
            std::make_shared<std::vector<std::byte> const>(bytes_of(runs_.keys.key_type, keys));
        runs_.keys.key_count = keys.size();
        runs_.run_count = count;
        runs_.failure_count_max = failure_count_max;
        auto report = run_third_party_sort(runs_);
        if (!report) {
            error_ = report.error();
            return {};
        }
        run_count_ += report->run_count;
        return std::move(*report);
    }

    /// Sets the number of runs per try from the failure rate; 0 if no run fails. Limits the time
    /// for it, since slow sorts need theirs for the search, whose first tries are the longest.
    void choose_tries(Keys const& keys) {
        constexpr std::uint64_t sure_after = 10;  // failures without a passing run
        constexpr std::uint64_t enough = 5;       // failures among passing runs
        constexpr std::uint64_t patience = 2'000; // maximum number of runs
        constexpr int parts_of_time = 8;          // share of the time: 1/8
        runs_.deadline = Clock::now() + time_max_ / parts_of_time;
        RunCounts seen;
        while (seen.run_count < patience) {
            ThirdPartyReport const report = run(keys, sure_after, sure_after);
            seen += report;
            bool const known = !seen.is_intermittent() || seen.failure_count >= enough;
            bool const late = seen.failure_count > 0 && Clock::now() >= *runs_.deadline;
            if (known || late || !time_left()) {
                break;
            }
        }
        runs_.deadline = deadline_;
        if (seen.failure_count > 0) {
            double const rate =
                static_cast<double>(seen.failure_count) / static_cast<double>(seen.run_count);
            tries_ = std::min(runs_until_failure(rate, certainty), tries_max);
        }
    }

    bool fails(Keys const& keys) {
        ThirdPartyReport const report = run(keys, tries_, 1);
        return !error_ && report.first && fail_alike(*report.first, failure_);
    }

    /// Runs the smallest keys again, to keep their files and to measure the failure rate.
    void rerun_smallest(Keys const& keys, ShrunkFailure& shrunk) {
        runs_.keeps_failure = true;
        runs_.kept_stem = "smallest";
        runs_.deadline = std::nullopt;
        std::uint64_t const count = tries_ == 1 ? 2 : tries_;
        ThirdPartyReport report = run(keys, count, count);
        if (!report.first && !error_ && !report.interrupted) {
            report = run(keys, 2 * tries_max, 1);
        }
        shrunk.again = {report.run_count, report.failure_count};
        if (report.first) {
            shrunk.run = std::move(*report.first);
        }
    }

    ThirdPartyRuns runs_;
    ThirdPartyRun const& failure_;
    std::chrono::milliseconds time_max_;
    Clock::time_point deadline_;
    std::uint64_t tries_ = 0;
    std::uint64_t run_count_ = 0;
    std::optional<InputError> error_;
};

} // namespace

Expected<std::optional<ShrunkFailure>> shrink_failure(ThirdPartyRuns const& runs,
                                                      ThirdPartyRun const& failure,
                                                      std::chrono::milliseconds time_max) {
    return Shrinking(runs, failure, time_max).result();
}

} // namespace keyswap::conformance
