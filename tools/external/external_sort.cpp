#include "tools/external/external_sort.hpp"

#include "model/external/external_records.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <utility>

namespace keyswap::tools {

namespace {

namespace fs = std::filesystem;

/// The folder of a path that need not exist yet.
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
        return tl::unexpected(InputError{folder.string(),
                                         "has " + grouped_count(*free) + " bytes free, and " +
                                             grouped_count(needed) + " more are needed",
                                         "free some space, or give a --scratch on another disk"});
    }
    return {};
}

/// What is still to be written: runs of records that are not in any yet, and the output. Runs go as
/// the output grows, so that on one disk their sum is needed once.
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
    fs::path const folder = folder_of(run.job.output);
    if (on_one_file_system(folder, run.job.scratch)) {
        // Ranges that are placed wait for the manifest before their runs go.
        std::uint64_t const needed =
            has_runs ? without_run * size +
                           std::min(unplaced * size,
                                    run.memory.given_bytes + unsaved_bytes_max(run.memory))
                     : unplaced * size;
        return expect_space(folder, needed, run.storage.free_bytes(folder));
    }
    KEYSWAP_RETURN_IF_ERROR(
        expect_space(run.job.scratch, without_run * size, run.storage.free_bytes(run.job.scratch)));
    return expect_space(folder, unplaced * size, run.storage.free_bytes(folder));
}

/// Runs are there and as long as the manifest says.
Expected<void> check_runs(ExternalRun const& run) {
    for (std::size_t i = 0; i < run.manifest.ranges.size(); ++i) {
        RangeState const& range = run.manifest.ranges[i];
        if (range.is_placed || range.id == 0) {
            continue;
        }
        fs::path const path = run.job.run(range.id);
        std::error_code error;
        std::uint64_t const size = fs::file_size(path, error);
        if (error || size != range.count * run.job.layout.record_bytes) {
            return tl::unexpected(
                InputError{path.string(),
                           error ? "is missing"
                                 : "has " + grouped_count(size) + " bytes instead of " +
                                       grouped_count(range.count * run.job.layout.record_bytes),
                           "remove " + run.job.scratch.string() + " and start anew"});
        }
    }
    return {};
}

/// No other process sorts in this folder. \return the file that is locked
Expected<std::shared_ptr<StoredFile>> lock_scratch(ExternalJob const& job, Storage& storage) {
    KEYSWAP_TRY(auto lock,
                StoredFile::open(storage, job.scratch / "lock", StoredFile::Use::update));
    if (::flock(lock->descriptor(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return tl::unexpected(InputError{job.scratch.string(),
                                         "is used by another sort that is running",
                                         "wait for it, or give another --scratch"});
    }
    return lock;
}

Expected<void> expect_unchanged(ExternalJob const& job) {
    for (ExternalInput const& input : job.inputs) {
        KEYSWAP_TRY(auto const now, identity_of(input.identity.path));
        if (now != input.identity) {
            return tl::unexpected(InputError{input.identity.path,
                                             "was changed while it was sorted",
                                             "remove " + job.scratch.string() + " and start anew"});
        }
    }
    return {};
}

/// The output under its temporary name, as long as it will be.
Expected<std::shared_ptr<StoredFile>> open_partial(ExternalRun& run) {
    fs::path const path = run.job.partial();
    std::uint64_t const size =
        run.job.output_header.size() + run.job.record_count * run.job.layout.record_bytes;
    bool const any_placed =
        std::ranges::any_of(run.manifest.ranges, [](auto const& range) { return range.is_placed; });
    std::error_code error;
    if (any_placed && (fs::file_size(path, error) != size || error)) {
        return tl::unexpected(InputError{path.string(),
                                         "is missing or has another size, and ranges were already "
                                         "written to it",
                                         "remove " + run.job.scratch.string() + " and start anew"});
    }
    KEYSWAP_TRY(auto file,
                StoredFile::open(run.storage,
                                 path,
                                 any_placed ? StoredFile::Use::update : StoredFile::Use::create));
    if (!any_placed) {
        KEYSWAP_RETURN_IF_ERROR(file->resize(size));
        KEYSWAP_RETURN_IF_ERROR(file->write(0, std::as_bytes(std::span(run.job.output_header))));
        KEYSWAP_RETURN_IF_ERROR(file->sync());
    }
    return file;
}

Expected<void> publish(ExternalRun& run) {
    int const error = run.storage.rename(run.job.partial(), run.job.output, run.job.existing);
    if (error == EEXIST) {
        return tl::unexpected(kept_file(run.job.output));
    }
    if (error != 0) {
        return tl::unexpected(InputError{run.job.output.string(),
                                         std::string("cannot be named: ") + std::strerror(error),
                                         "look after the disk, then run the same command again"});
    }
    // Whatever is left here costs nothing but space.
    run.storage.remove(run.job.manifest());
    run.storage.remove(run.job.scratch / "lock");
    for (ExternalInput const& input : run.job.inputs) {
        if (input.path != fs::path(input.identity.path)) {
            run.storage.remove(input.path);
        }
    }
    std::error_code ignored;
    fs::remove(run.job.scratch, ignored); // where it is empty
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

void summarize(ExternalRun& run) {
    ExternalResult& result = run.result;
    result.range_count = run.manifest.ranges.size();
    result.single_valued_ranges = static_cast<std::uint64_t>(std::ranges::count_if(
        run.manifest.ranges, [](RangeState const& range) { return range.images.single_valued(); }));
    result.oversized_records = run.manifest.oversized_records;
    result.buffer_bytes = run.arena.peak_bytes();
    result.records = {model::external_sort_record(run.job.layout, run.memory)};
    result.records.insert(
        result.records.end(), run.manifest.records.begin(), run.manifest.records.end());
    for (RangeState const& range : run.manifest.ranges) {
        result.records.emplace_back(range.record());
        result.digest += range.digest.value_or(MultisetDigest{});
    }
}

Expected<void> carry_out(ExternalRun& run) {
    using Clock = std::chrono::steady_clock;
    auto const start = Clock::now();
    KEYSWAP_RETURN_IF_ERROR(check_runs(run));
    KEYSWAP_RETURN_IF_ERROR(check_space(run));
    while (auto const index = next_oversized(run)) {
        KEYSWAP_RETURN_IF_ERROR(partition_range(run, *index));
        KEYSWAP_RETURN_IF_ERROR(expect_unchanged(run.job));
    }
    auto const partitioned = Clock::now();
    {
        KEYSWAP_TRY(auto const output, open_partial(run));
        KEYSWAP_RETURN_IF_ERROR(place_ranges(run, *output));
        KEYSWAP_RETURN_IF_ERROR(output->sync());
    }
    KEYSWAP_RETURN_IF_ERROR(expect_unchanged(run.job));
    summarize(run);
    KEYSWAP_RETURN_IF_ERROR(publish(run));
    run.result.partition_seconds = std::chrono::duration<double>(partitioned - start).count();
    run.result.sort_seconds = std::chrono::duration<double>(Clock::now() - partitioned).count();
    return {};
}

} // namespace

Expected<void> ExternalRun::poll() const {
    if (control.wants_end && control.wants_end()) {
        return tl::unexpected(InputError{"sort",
                                         "was interrupted",
                                         "run the same command again to continue, or remove " +
                                             job.scratch.string() + " and " +
                                             job.partial().string()});
    }
    return {};
}

Expected<void> make_scratch(ExternalJob const& job) {
    std::error_code error;
    fs::create_directories(job.scratch, error);
    if (error) {
        return tl::unexpected(InputError{job.scratch.string(),
                                         "cannot be made: " + error.message(),
                                         "give a --scratch that you may write to"});
    }
    return {};
}

Expected<ExternalResult>
sort_external(ExternalJob const& job, ExternalControl const& control, Storage& storage) {
    KEYSWAP_TRY(auto const memory, model::divide_memory(job.layout, job.memory_bytes));
    KEYSWAP_RETURN_IF_ERROR(make_scratch(job));
    KEYSWAP_TRY(auto const lock, lock_scratch(job, storage));
    KEYSWAP_TRY(auto manifest, Manifest::load(job));
    bool const continued = manifest.has_value();
    ExternalRun run{job,
                    control,
                    storage,
                    memory,
                    continued ? std::move(*manifest) : Manifest::first(job),
                    BufferArena(memory.given_bytes - memory.reserve_bytes)};
    run.result.continued = continued;
    if (!continued) {
        KEYSWAP_RETURN_IF_ERROR(run.manifest.save(job, storage));
    }
    KEYSWAP_RETURN_IF_ERROR(carry_out(run));
    return run.result;
}

} // namespace keyswap::tools
