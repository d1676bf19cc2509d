#include "model/verify/ranks/rank_traces.hpp"

#include "model/verify/run_checks.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace keyswap::model::verify {

namespace {

/// Source and destination.
using Pair = std::pair<GpuId, GpuId>;

std::uint64_t keys_of(std::vector<CopyRecord> const& copies) {
    std::uint64_t keys = 0;
    for (CopyRecord const& copy : copies) {
        keys += copy.count;
    }
    return keys;
}

std::map<Pair, std::vector<CopyRecord>> copies_between_ranks(RecordedRun const& rank) {
    std::map<Pair, std::vector<CopyRecord>> copies;
    for (CopyRecord const& copy : rank.copies) {
        copies[{copy.source, copy.destination}].push_back(copy);
    }
    return copies;
}

std::string copies_text(std::vector<CopyRecord> const& copies, std::string const& verb) {
    return verb + ' ' + std::to_string(keys_of(copies)) + " keys in " +
           std::to_string(copies.size()) + (copies.size() == 1 ? " copy" : " copies");
}

/// Describes the first two copies that differ.
std::string first_difference(std::vector<CopyRecord> const& sent,
                             std::vector<CopyRecord> const& received) {
    auto const [a, b] = std::ranges::mismatch(sent, received);
    if (a == sent.end() || b == received.end()) {
        return "";
    }
    auto const text = [](CopyRecord const& copy) {
        return std::to_string(copy.count) + " from " + std::to_string(copy.source_offset) + " to " +
               std::to_string(copy.destination_offset);
    };
    return "; copy " + std::to_string(a - sent.begin()) + ": " + text(*a) + " against " + text(*b);
}

constexpr char const* records_of_others =
    "The rank did not see what it recorded: the other rank's own record is missing.";

class Merger {
  public:
    explicit Merger(std::vector<RecordedRun const*> ranks) : ranks_(std::move(ranks)) {}

    MergedRanks merge() {
        RecordedRun const& first = *ranks_.front();
        merged_.run.name = first.name + " and " + std::to_string(ranks_.size() - 1) + " more";
        merged_.run.header = first.header;
        common(&RecordedRun::functions, Check::functions, "bucket functions");
        common(&RecordedRun::placements, Check::placements, "placements");
        common(&RecordedRun::relaxations, Check::rounds, "rounds");
        interleave_histograms();
        compare_copies();
        for (RecordedRun const* rank : ranks_) {
            refuse_records_of_others(*rank);
            append(rank->ownership, merged_.run.ownership);
            append(rank->sort_ranges, merged_.run.sort_ranges);
            append(rank->digests, merged_.run.digests);
            append(rank->partitions, merged_.run.partitions);
            append(rank->merges, merged_.run.merges);
            append(rank->phase_times, merged_.run.phase_times);
            for (CopyRecord const& copy : rank->copies) {
                if (copy.source == rank->ownership.front().gpu) {
                    merged_.run.copies.push_back(copy);
                }
            }
        }
        merge_verdicts();
        return std::move(merged_);
    }

  private:
    template <class Record>
    static void append(std::vector<Record> const& from, std::vector<Record>& to) {
        to.insert(to.end(), from.begin(), from.end());
    }

    void add(Difference difference) { merged_.differences.push_back(std::move(difference)); }

    /// Merges a type of record that must be identical on all ranks.
    template <class Record>
    void common(std::vector<Record> RecordedRun::*kind, Check check, std::string const& what) {
        merged_.run.*kind = ranks_.front()->*kind;
        for (std::uint32_t rank = 1; rank < ranks_.size(); ++rank) {
            if (ranks_[rank]->*kind != merged_.run.*kind) {
                add(differ(check)
                        .on(GpuId{rank})
                        .expect("the " + what + " of rank 0")
                        .found("others")
                        .implies("ranks with different plans exchange keys that do not fit"));
            }
        }
    }

    /// A rank must record only its own actions: otherwise its trace could hide records that are
    /// missing from another.
    void refuse_records_of_others(RecordedRun const& rank) {
        GpuId const own = rank.ownership.front().gpu;
        auto const refuse = [&](auto const& records, auto check_of, std::string const& what) {
            auto const other = std::ranges::find_if(
                records, [own](auto const& record) { return record.gpu != own; });
            if (other != records.end()) {
                add(differ(check_of(*other), Verdict::wrong_execution)
                        .on(own)
                        .expect(what + "s of rank " + std::to_string(own.value))
                        .found("a " + what + " of rank " + std::to_string(other->gpu.value))
                        .implies(records_of_others));
            }
        };
        auto const always = [](Check check) { return [check](auto const&) { return check; }; };
        refuse(rank.histograms, always(Check::histograms), "histogram");
        refuse(rank.sort_ranges, always(Check::sort_ranges), "sort range");
        refuse(rank.phase_times, always(Check::phase_times), "phase time");
        refuse(rank.partitions, always(Check::partitions), "partition");
        refuse(
            rank.digests, [](DigestRecord const& r) { return check_of(r.stage); }, "digest");
        for (CopyRecord const& copy : rank.copies) {
            if (copy.source != own && copy.destination != own) {
                add(differ(Check::copies, Verdict::wrong_execution)
                        .on(own)
                        .expect("copies from or to rank " + std::to_string(own.value))
                        .found("a copy from rank " + std::to_string(copy.source.value) +
                               " to rank " + std::to_string(copy.destination.value))
                        .implies(records_of_others));
                break;
            }
        }
        // A merge without a GPU runs on the host, which is not a rank.
        for (MergeRecord const& merge : rank.merges) {
            if (merge.gpu != own) {
                add(differ(Check::merges, Verdict::wrong_execution)
                        .on(own)
                        .expect("merges of rank " + std::to_string(own.value))
                        .found("a merge of another rank")
                        .implies(records_of_others));
                break;
            }
        }
    }

    /// Orders histograms as a single process does: for each bucket all GPUs.
    void interleave_histograms() {
        std::size_t most = 0;
        for (RecordedRun const* rank : ranks_) {
            most = std::max(most, rank->histograms.size());
        }
        for (std::size_t i = 0; i < most; ++i) {
            for (RecordedRun const* rank : ranks_) {
                if (i < rank->histograms.size()) {
                    merged_.run.histograms.push_back(rank->histograms[i]);
                }
            }
        }
    }

    /// Both ends of a pair must record the same copies.
    void compare_copies() {
        std::vector<std::map<Pair, std::vector<CopyRecord>>> of_rank;
        std::ranges::transform(ranks_, std::back_inserter(of_rank), [](auto const* rank) {
            return copies_between_ranks(*rank);
        });
        for (std::uint32_t source = 0; source < ranks_.size(); ++source) {
            for (std::uint32_t destination = 0; destination < ranks_.size(); ++destination) {
                Pair const pair{GpuId{source}, GpuId{destination}};
                auto const& sent = of_rank[source][pair];
                auto const& received = of_rank[destination][pair];
                if (sent != received) {
                    add(differ(Check::copies, Verdict::wrong_execution)
                            .on(GpuId{destination})
                            .expect("rank " + std::to_string(source) + ' ' +
                                    copies_text(sent, "sent"))
                            .found("rank " + std::to_string(destination) + ' ' +
                                   copies_text(received, "received") +
                                   first_difference(sent, received))
                            .implies("keys are lost between the two, or the exchange hangs"));
                }
            }
        }
    }

    /// A property of the run holds only if it holds on all ranks.
    void merge_verdicts() {
        for (RecordedRun const* rank : ranks_) {
            for (VerdictRecord const& verdict : rank->verdicts) {
                auto const same = std::ranges::find(
                    merged_.run.verdicts, verdict.property, &VerdictRecord::property);
                if (same == merged_.run.verdicts.end()) {
                    merged_.run.verdicts.push_back(verdict);
                } else if (same->holds && !verdict.holds) {
                    *same = verdict;
                }
            }
        }
    }

    std::vector<RecordedRun const*> ranks_;
    MergedRanks merged_;
};

/// The rank that owns the trace's only range.
Expected<GpuId> rank_of(RecordedRun const& trace) {
    if (trace.ownership.size() != 1) {
        return input_error(trace.name,
                           "records " + std::to_string(trace.ownership.size()) +
                               " owned ranges; the trace of a rank records only its own",
                           "leave " + setting("ranks") + " out for traces of whole runs");
    }
    return trace.ownership.front().gpu;
}

/// Removes the fields that differ between machines.
RunHeader without_machine(RunHeader header) {
    header.created.clear();
    header.device.clear();
    header.driver.clear();
    return header;
}

} // namespace

Expected<MergedRanks> merge_ranks(std::span<RecordedRun const> ranks) {
    std::vector<RecordedRun const*> ordered;
    for (RecordedRun const& trace : ranks) {
        KEYSWAP_TRY(auto const rank, rank_of(trace));
        ordered.resize(std::max<std::size_t>(ordered.size(), trace.gpu_count()));
        if (rank.value >= trace.gpu_count()) {
            return input_error(trace.name,
                               "is of rank " + std::to_string(rank.value) + " of " +
                                   std::to_string(trace.gpu_count()),
                               "record the run again");
        }
        if (ordered[rank.value] != nullptr) {
            return input_error(trace.name,
                               "is of rank " + std::to_string(rank.value) + ", as '" +
                                   ordered[rank.value]->name + "' is",
                               "give one trace of each rank");
        }
        ordered[rank.value] = &trace;
        if (without_machine(trace.header) != without_machine(ranks.front().header)) {
            return input_error(trace.name,
                               "is of another run than '" + ranks.front().name + '\'',
                               "give the traces of one run");
        }
    }
    auto const missing = std::ranges::find(ordered, nullptr);
    if (ordered.empty() || missing != ordered.end()) {
        return input_error(setting("ranks"),
                           "the trace of rank " + std::to_string(missing - ordered.begin()) +
                               " is missing",
                           "give one trace of each rank");
    }
    return Merger(std::move(ordered)).merge();
}

} // namespace keyswap::model::verify
