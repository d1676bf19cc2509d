#include "tools/external/external_sort.hpp"

#include "model/ranks/agreement.hpp"
#include "tools/build/stopwatch.hpp"
#include "tools/external/files/output_files.hpp"
#include "tools/external/memory_sort.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// Parent folder of a path; "." if it has none. The path need not exist.
fs::path folder_of(fs::path const& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

bool on_one_file_system(fs::path const& left, fs::path const& right) {
    struct stat a {};
    struct stat b {};
    return ::stat(left.c_str(), &a) == 0 && ::stat(right.c_str(), &b) == 0 && a.st_dev == b.st_dev;
}

Expected<void>
expect_space(fs::path const& folder, std::uint64_t needed, std::optional<std::uint64_t> free) {
    if (free && *free < needed) {
        return input_error(folder.string(),
                           "has " + grouped_count(*free) + " bytes free, and " +
                               grouped_count(needed) + " more are needed",
                           "free some space, or give a --scratch on another disk");
    }
    return {};
}

/// Checks the disk space for what is still to be written: records without a run, and the output.
/// Runs are removed as the output grows, so one disk needs the sum of both only once. Rank 0 checks
/// the shared file system of the outputs; each rank checks its own scratch.
Expected<void> check_space(ExternalRun& run) {
    std::uint64_t const size = run.job.layout.record_bytes;
    std::uint64_t unplaced = 0;
    std::uint64_t without_run = 0;
    for (RangeState const& range : run.manifest.ranges) {
        unplaced += range.is_placed ? 0 : range.count;
        bool const split = model::is_oversized(run.memory, range.images, range.count);
        without_run += range.id == 0 && split ? range.count : 0;
    }
    if (run.manifest.split && without_run > 0) {
        without_run -= run.manifest.split->consumed;
    }
    bool const has_runs = run.manifest.ranges.size() > 1 || without_run > 0;
    fs::path const folder = folder_of(run.job.outputs.front());
    if (run.job.range_storage == RangeStorage::memory) {
        return expect_space(folder, unplaced * size, run.storage.free_bytes(folder));
    }
    if (on_one_file_system(folder, run.job.scratch)) {
        if (!run.team.is_first()) {
            return {};
        }
        // Runs of placed ranges are removed only after the next save of the manifest.
        std::uint64_t const needed =
            has_runs ? without_run * size +
                           std::min(unplaced * size,
                                    run.memory.given_bytes + unsaved_bytes_max(run.memory))
                     : unplaced * size;
        return expect_space(folder, needed, run.storage.free_bytes(folder));
    }
    KEYSWAP_RETURN_IF_ERROR(expect_space(run.job.scratch,
                                         without_run / run.team.size() * size,
                                         run.storage.free_bytes(run.job.scratch)));
    return !run.team.is_first()
               ? Expected<void>{}
               : expect_space(folder, unplaced * size, run.storage.free_bytes(folder));
}

/// Checks that each run exists and has at least the length in the manifest.
Expected<void> check_runs(ExternalRun const& run) {
    for (std::size_t i = 0; i < run.manifest.ranges.size(); ++i) {
        RangeState const& range = run.manifest.ranges[i];
        if (range.is_placed || range.id == 0 || range.owner != run.team.rank()) {
            continue;
        }
        fs::path const path = run.job.run(range.id);
        std::error_code error;
        std::uint64_t const size = fs::file_size(path, error);
        if (error || size != range.count * run.job.layout.record_bytes) {
            return tl::unexpected(
                damaged_file(run.job,
                             path,
                             error ? "is missing"
                                   : "has " + grouped_count(size) + " bytes instead of " +
                                         grouped_count(range.count * run.job.layout.record_bytes)));
        }
    }
    return {};
}

/// Creates the scratch folder if it is missing.
Expected<void> make_scratch(ExternalJob const& job) {
    std::error_code error;
    fs::create_directories(job.scratch, error);
    if (error) {
        return input_error(job.scratch.string(),
                           "cannot be made: " + error.message(),
                           "give a --scratch folder that you may write to");
    }
    return {};
}

/// Locks the scratch folder against concurrent sorts. \return the locked file
Expected<std::shared_ptr<StoredFile>> lock_scratch(ExternalJob const& job, Storage& storage) {
    KEYSWAP_TRY(auto lock, StoredFile::open(storage, job.lock(), StoredFile::Use::update));
    if (::flock(lock->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return input_error(job.scratch.string(),
                           "is used by another sort that is running",
                           "wait for it, or give another --scratch");
    }
    return lock;
}

/// Removes the sort's own files. Errors are ignored: leftovers only cost space.
void clean_up(ExternalJob const& job, Storage& storage) {
    storage.remove(job.manifest());
    storage.remove(job.manifest().string() + ".new");
    storage.remove(job.lock());
    std::error_code ignored;
    fs::remove(job.scratch, ignored); // fails unless empty
}

/// Removes unneeded runs: a killed sort leaves those that its last manifest no longer lists.
void remove_needless_runs(ExternalRun const& run) {
    std::set<fs::path> needed;
    for (RangeState const& range : run.manifest.ranges) {
        if (!range.is_placed) {
            needed.insert(run.job.run(range.id));
        }
    }
    if (run.manifest.split) {
        for (RangeState const& child : run.manifest.split->children) {
            needed.insert(run.job.run(child.id));
        }
    }
    std::vector<fs::path> needless;
    std::error_code error;
    for (auto const& entry : fs::directory_iterator(run.job.scratch, error)) {
        if (entry.path().extension() == ".run" && !needed.contains(entry.path())) {
            needless.push_back(entry.path());
        }
    }
    remove_files(run.job, run.storage, needless);
}

/// Without a manifest, the scratch folder may hold only files that precede the manifest.
Expected<void> expect_own_scratch(ExternalJob const& job) {
    std::error_code error;
    for (auto const& entry : fs::directory_iterator(job.scratch, error)) {
        auto const name = entry.path().filename().string();
        if (!name.starts_with("lock") && !name.ends_with(".json.new")) { // also of other ranks
            return input_error(job.scratch.string(),
                               "holds " + name + ", and no interrupted sort",
                               "empty it, or give another --scratch");
        }
    }
    return {};
}

std::optional<std::size_t> next_oversized(ExternalRun const& run) {
    if (run.manifest.split) {
        return run.manifest.split->index;
    }
    auto const& ranges = run.manifest.ranges;
    auto const found = std::ranges::find_if(ranges, [&](RangeState const& range) {
        return !range.is_placed && model::is_oversized(run.memory, range.images, range.count);
    });
    return found == ranges.end() ? std::nullopt
                                 : std::optional(static_cast<std::size_t>(found - ranges.begin()));
}

/// Sums the bytes moved by all ranks; takes the maximum of their buffer bytes.
void add_up(ExternalRun& run) {
    if (run.team.is_single_process()) {
        return;
    }
    ExternalResult& result = run.result;
    std::array const own{result.read_bytes, result.written_bytes, result.buffer_bytes};
    result.read_bytes = result.written_bytes = 0;
    for (auto const& [read, written, buffers] :
         model::all_gather(run.team.ranks(), "account", own)) {
        result.read_bytes += read;
        result.written_bytes += written;
        result.buffer_bytes = std::max(result.buffer_bytes, buffers);
    }
}

void summarize(ExternalRun& run) {
    ExternalResult& result = run.result;
    result.record_count = run.job.record_count();
    result.range_count = run.manifest.ranges.size();
    result.single_valued_ranges = static_cast<std::uint64_t>(std::ranges::count_if(
        run.manifest.ranges, [](RangeState const& range) { return range.images.single_valued(); }));
    result.oversized_records = run.manifest.oversized_records;
    result.buffer_bytes = run.arena.peak_bytes();
    add_up(run);
    result.records = {model::external_sort_record(run.job.layout, run.memory)};
    result.records.insert(
        result.records.end(), run.manifest.records.begin(), run.manifest.records.end());
    for (RangeState const& range : run.manifest.ranges) {
        result.records.emplace_back(range.record());
        result.digest += range.digest.value_or(MultisetDigest{});
    }
}

/// Rank 0's manifest, with the placed state of this rank's own ranges; nullopt if there is none.
Expected<std::optional<Manifest>> load_manifest(ExternalRun const& run) {
    ExternalJob const& job = run.job;
    auto own = Manifest::load(job);
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("reading the manifest", own));
    if (run.team.is_single_process()) {
        return own;
    }
    std::string const text =
        run.team.text_of(0, "reading the manifest", *own ? (*own)->text(job) : "");
    if (text.empty()) {
        return std::nullopt;
    }
    auto manifest = Manifest::parse(job, text);
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("comparing manifests", manifest));
    for (RangeState& range : manifest->ranges) {
        auto const same = [&](RangeState const& other) {
            return other.id == range.id && other.is_placed && other.owner == run.team.rank();
        };
        if (*own) {
            auto const placed = std::ranges::find_if((*own)->ranges, same);
            range = placed == (*own)->ranges.end() ? range : *placed;
        }
    }
    return std::optional(std::move(*manifest));
}

/// Begins a sort, or continues an interrupted one.
Expected<void> prepare(ExternalRun& run, std::optional<Manifest> interrupted) {
    ExternalJob& job = run.job;
    run.result.continued = interrupted.has_value();
    if (interrupted) {
        run.manifest = std::move(*interrupted);
        for (std::size_t i = 0; i < job.inputs.size(); ++i) {
            job.inputs[i].record_count = run.manifest.input_counts[i];
        }
        KEYSWAP_RETURN_IF_ERROR(run.team.agree("looking for the runs", check_runs(run)));
        remove_needless_runs(run);
        return run.team.agree("looking for space", check_space(run));
    }
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("opening the scratch", expect_own_scratch(job)));
    if (job.is_streamed()) {
        KEYSWAP_RETURN_IF_ERROR(
            run.team.carry_out("surveying the input", [&] { return survey_streams(run); }));
    }
    run.manifest = Manifest::first(job);
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("looking for space", check_space(run)));
    // The manifest omits a stream's sample: a sort interrupted before its use restarts.
    return run.stream_sample.empty() ? run.save_manifest() : Expected<void>{};
}

/// Sorts the ranges, each rank its own, and renames the outputs to their final names.
Expected<void> write_outputs(ExternalRun& run) {
    KEYSWAP_TRY(auto outputs, OutputFiles::open(run));
    KEYSWAP_RETURN_IF_ERROR(
        run.team.carry_out("sorting the ranges", [&] { return place_ranges(run, outputs); }));
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("reading the input", expect_unchanged(run.job)));
    if (!run.team.is_single_process()) { // so that rank 0's manifest suffices to continue
        run.collect(run.manifest.ranges);
        KEYSWAP_RETURN_IF_ERROR(run.save_manifest());
    }
    return run.team.agree("naming the output",
                          run.team.is_first() ? outputs.publish_complete(run.job.record_count())
                                              : Expected<void>{});
}

Expected<void> carry_out(ExternalRun& run) {
    Stopwatch const partitioning;
    KEYSWAP_TRY(auto interrupted, load_manifest(run));
    KEYSWAP_RETURN_IF_ERROR(run.team.agree(
        "preparing the engine",
        run.job.engine->prepare(range_shape(run.job.layout), run.memory.records_max)));
    KEYSWAP_RETURN_IF_ERROR(prepare(run, std::move(interrupted)));
    if (run.control.on_total_known) {
        std::uint64_t const count = run.job.record_count();
        std::uint64_t const moves = (count > run.memory.records_max ? 4 : 2) +
                                    (run.job.is_streamed() && !run.result.continued ? 1 : 0);
        run.control.on_total_known(count / run.team.size() * run.job.layout.record_bytes * moves);
    }
    while (auto const index = next_oversized(run)) {
        KEYSWAP_RETURN_IF_ERROR(partition_range(run, *index));
        KEYSWAP_RETURN_IF_ERROR(run.team.agree("reading the input", expect_unchanged(run.job)));
    }
    run.result.partition_seconds = partitioning.seconds();
    Stopwatch const sorting;
    KEYSWAP_RETURN_IF_ERROR(write_outputs(run));
    summarize(run);
    if (!run.team.is_first()) {
        clean_up(run.job, run.storage);
    }
    KEYSWAP_RETURN_IF_ERROR(run.team.agree("cleaning up", {}));
    if (run.team.is_first()) { // its manifest goes last
        clean_up(run.job, run.storage);
    }
    run.result.sort_seconds = sorting.seconds();
    return {};
}

/// As carry_out(), with the ranges in memory.
Expected<void> carry_out_in_memory(ExternalRun& run) {
    ExternalJob const& job = run.job;
    KEYSWAP_RETURN_IF_ERROR(job.engine->prepare(range_shape(job.layout), run.memory.records_max));
    run.manifest = Manifest::first(job);
    KEYSWAP_RETURN_IF_ERROR(check_space(run));
    if (run.control.on_total_known) {
        run.control.on_total_known(2 * job.record_count() * job.layout.record_bytes);
    }
    KEYSWAP_RETURN_IF_ERROR(sort_ranges_in_memory(run));
    summarize(run);
    return {};
}

} // namespace

Expected<void> expect_unchanged(ExternalJob const& job) {
    for (ExternalInput const& input : job.inputs) {
        KEYSWAP_TRY(auto const now, identity_of(input.identity.path));
        if (now != input.identity) {
            return input_error(
                input.identity.path, "was changed while it was sorted", restart_remedy(job));
        }
    }
    return {};
}

Expected<ExternalResult> sort_external(ExternalJob const& job,
                                       ExternalControl const& control,
                                       Storage& storage,
                                       model::Communicator* ranks) {
    RankTeam team(ranks);
    KEYSWAP_TRY(auto const memory,
                model::divide_memory(job.layout, job.memory_bytes, job.gpu_records_max));
    auto const new_run = [&] {
        return ExternalRun{job,
                           control,
                           storage,
                           memory,
                           team,
                           Manifest(),
                           BufferArena(memory.given_bytes - memory.reserve_bytes)};
    };
    if (job.range_storage == RangeStorage::memory) {
        auto run = new_run();
        KEYSWAP_RETURN_IF_ERROR(carry_out_in_memory(run).map_error([&](InputError failure) {
            for (std::size_t i = 0; i < job.outputs.size(); ++i) {
                storage.remove(job.partial(i));
            }
            return failure;
        }));
        return run.result;
    }
    auto const lock = make_scratch(job).and_then([&] { return lock_scratch(job, storage); });
    KEYSWAP_RETURN_IF_ERROR(team.agree("opening the scratch", lock));
    if (!team.is_single_process()) {
        KEYSWAP_RETURN_IF_ERROR(
            model::expect_same_start(team.ranks(), "comparing jobs", job_text(job)));
    }
    // A sort that fails without a manifest, also by an exception, leaves nothing to resume.
    auto const remove_scratch = [&storage](ExternalJob const* failed) {
        std::error_code error;
        if (!fs::exists(failed->manifest(), error) && !error) {
            clean_up(*failed, storage);
        }
    };
    std::unique_ptr<ExternalJob const, decltype(remove_scratch)> unfinished(&job, remove_scratch);
    auto run = new_run(); // which may find too little memory for its buffers
    KEYSWAP_RETURN_IF_ERROR(carry_out(run));
    static_cast<void>(unfinished.release()); // carry_out() has cleaned up
    return run.result;
}

} // namespace keyswap::tools
