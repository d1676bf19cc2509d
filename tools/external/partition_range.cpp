#include "model/external/external_records.hpp"
#include "model/external/key_ranges.hpp"
#include "tools/external/distribute_range.hpp"
#include "tools/external/external_run.hpp"
#include "tools/external/files/range_files.hpp"
#include "tools/external/pipeline/parallel_parts.hpp"
#include "tools/external/range_sample.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

namespace keyswap::tools {

namespace {

/// Children of a range, still empty.
Expected<SplitState> begin_split(ExternalRun& run, std::size_t index, RangeFiles& files) {
    RangeState const& source = run.manifest.ranges[index];
    model::RangeTarget const target = model::range_target(run.memory, source.count);
    bool const streamed = source.id == 0 && run.job.is_streamed();
    KEYSWAP_TRY(auto const sample,
                streamed ? Expected<std::vector<model::uint128>>(std::move(run.stream_sample))
                         : sample_range(run, source, target, files));
    bool const belongs = std::ranges::all_of(
        sample, [&](model::uint128 image) { return source.images.contains(image); });
    if (!belongs) {
        return tl::unexpected(damaged_run(run.job, source));
    }
    SplitState split{index, 0, {}};
    auto const ranges = model::choose_ranges(sample, target, source.images);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        // Child ranges have similar counts: each rank owns equally many consecutive ones.
        std::size_t const owner =
            source.id == 0 ? i * run.team.size() / ranges.size() : source.owner;
        split.children.push_back({run.manifest.next_id++,
                                  ranges[i],
                                  0,
                                  MultisetDigest{},
                                  false,
                                  source.id,
                                  0,
                                  {},
                                  static_cast<std::uint32_t>(owner)});
    }
    run.manifest.records.emplace_back(model::division_record(
        run.job.layout, run.memory, source.record(), run.sample_rule(), sample, ranges.size()));
    return split;
}

/// Truncates the children's runs to the last saved point, before a split continues.
Expected<void> cut_runs(ExternalRun& run) {
    for (RangeState const& child : run.manifest.split->children) {
        if (child.owner != run.team.rank()) {
            continue;
        }
        auto const path = run.job.run(child.id);
        std::uint64_t const size = child.count * run.job.layout.record_bytes;
        KEYSWAP_TRY(auto const file, StoredFile::open(run.storage, path, StoredFile::Use::update));
        std::error_code error;
        if (std::filesystem::file_size(path, error) < size) {
            return tl::unexpected(
                damaged_file(run.job, path, "is shorter than its manifest records"));
        }
        KEYSWAP_RETURN_IF_ERROR(file->resize(size));
    }
    return {};
}

/// Distributes a range's records among its children, which replace it.
Expected<void> divide_range(ExternalRun& run, std::size_t index) {
    Manifest& manifest = run.manifest;
    RangeState const source = manifest.ranges[index];
    bool const by_all = source.id == 0;
    auto const save = [&] {
        return by_all ? run.save_manifest() : manifest.save(run.job, run.storage);
    };
    auto const agree = [&](Expected<void> const& own) {
        return by_all ? run.team.agree("opening runs", own) : own;
    };
    {
        RangeFiles files(run, source);
        if (!manifest.split) {
            KEYSWAP_TRY(manifest.split, begin_split(run, index, files));
            KEYSWAP_RETURN_IF_ERROR(save());
        }
        KEYSWAP_RETURN_IF_ERROR(agree(cut_runs(run)));
        KEYSWAP_RETURN_IF_ERROR(distribute_range(run, source, files));
    }
    std::vector<RangeState> children = std::move(manifest.split->children);
    manifest.records.emplace_back(source.record());
    std::vector<std::filesystem::path> empty;
    for (RangeState const& child : children) {
        if (child.count == 0) {
            manifest.records.emplace_back(child.record());
            empty.push_back(run.job.run(child.id));
        }
    }
    remove_files(run.job, run.storage, empty);
    std::erase_if(children, [](RangeState const& child) { return child.count == 0; });
    manifest.split.reset();
    auto const at =
        manifest.ranges.erase(manifest.ranges.begin() + static_cast<std::ptrdiff_t>(index));
    manifest.ranges.insert(at, children.begin(), children.end());
    manifest.oversized_records += source.id == 0 ? 0 : source.count;
    return save();
}

} // namespace

Expected<void> partition_range(ExternalRun& run, std::size_t index) {
    RangeState const source = run.manifest.ranges[index];
    if (source.id == 0) {
        return divide_range(run, index);
    }
    bool const is_own = source.owner == run.team.rank();
    KEYSWAP_RETURN_IF_ERROR(run.team.carry_out(
        "dividing a range", [&] { return is_own ? divide_range(run, index) : Expected<void>{}; }));
    if (!run.team.is_single_process()) {
        KEYSWAP_TRY(run.manifest,
                    Manifest::parse(run.job,
                                    run.team.text_of(source.owner,
                                                     "dividing a range",
                                                     is_own ? run.manifest.text(run.job) : "")));
        KEYSWAP_RETURN_IF_ERROR(run.save_manifest());
    }
    if (is_own) {
        run.storage.remove(run.job.run(source.id));
    }
    return {};
}

} // namespace keyswap::tools
