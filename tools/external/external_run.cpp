#include "tools/external/external_run.hpp"

#include "traces/errors/try.hpp"

#include <type_traits>
#include <utility>

namespace keyswap::tools {

Expected<void> ExternalRun::poll() const {
    if (team.others_failed()) {
        return input_error("sort", "has ended on another rank", "");
    }
    if (control.wants_end && control.wants_end()) {
        bool const continues = job.range_storage == RangeStorage::scratch;
        return input_error("sort",
                           "was interrupted",
                           continues
                               ? "run the same command again to continue, or remove " +
                                     job.scratch.string() + " and " + job.partial(0).string() +
                                     (job.outputs.size() > 1 ? " and the other parts" : "")
                               : "run the same command again");
    }
    return {};
}

Expected<void> ExternalRun::save_manifest() {
    return team.agree("saving the manifest",
                      team.is_first() ? manifest.save(job, storage) : Expected<void>{});
}

std::string restart_remedy(ExternalJob const& job) {
    return job.range_storage == RangeStorage::memory
               ? "start anew"
               : "remove " + job.scratch.string() + " and start anew";
}

InputError
damaged_file(ExternalJob const& job, std::filesystem::path const& file, std::string problem) {
    return {file.string(), std::move(problem), "it was changed or damaged; " + restart_remedy(job)};
}

InputError damaged_run(ExternalJob const& job, RangeState const& range) {
    return damaged_file(job, job.run(range.id), "has records that do not belong there");
}

void ExternalRun::collect(std::vector<RangeState>& ranges) const {
    /// Fields of a range that only its owner sets.
    struct Known {
        std::optional<MultisetDigest> digest;
        MultisetDigest written;
        std::uint64_t place;
        bool is_placed;
    };
    static_assert(std::is_trivially_copyable_v<Known>);
    if (team.is_single_process()) {
        return;
    }
    std::vector<Known> own;
    std::vector<std::vector<Known>> of_ranks(team.size());
    for (RangeState const& range : ranges) {
        if (range.owner == team.rank()) {
            own.push_back({range.digest, range.written, range.place, range.is_placed});
        }
        of_ranks[range.owner].emplace_back();
    }
    std::vector<std::span<std::byte const>> const sends(team.size(), std::as_bytes(std::span(own)));
    std::vector<std::span<std::byte>> receives;
    receives.reserve(team.size());
    for (std::vector<Known>& of_rank : of_ranks) {
        receives.push_back(std::as_writable_bytes(std::span(of_rank)));
    }
    team.ranks().exchange("collecting ranges", sends, receives);
    std::vector<std::size_t> next(team.size(), 0);
    for (RangeState& range : ranges) {
        Known const& known = of_ranks[range.owner][next[range.owner]++];
        range.digest = known.digest;
        range.written = known.written;
        range.place = known.place;
        range.is_placed = known.is_placed;
    }
}

} // namespace keyswap::tools
