#pragma once

/// \file What is complete of an external sort: written whole, under a temporary name first, each
/// time that more is on the disk. Whatever is not in it did not happen.

#include "model/external/record_layout.hpp"
#include "model/external/record_stream.hpp"
#include "model/keys/refined_bucket.hpp"
#include "tools/external/range_engine.hpp"
#include "tools/external/storage.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Records of one file, in a row.
struct ExternalInput {
    FileIdentity identity;          ///< of the file that the user named
    std::uint64_t offset = 0;       ///< of the first record, in bytes
    std::uint64_t record_count = 0; ///< of a stream: not known before it was read
    /// Opens a file whose records do not lie in it as they are sorted; empty for others.
    std::function<Expected<std::unique_ptr<model::RecordStream>>()> open_stream;
};

/// Where ranges are until they are sorted.
enum class RangeStorage {
    scratch, ///< in files, so that an interrupted sort goes on
    memory   ///< nothing is in the scratch folder
};

/// What is sorted into what: an interrupted sort goes on only for the same.
struct ExternalJob {
    model::RecordLayout layout;
    std::string program;               ///< version and commit
    std::vector<ExternalInput> inputs; ///< at least one; together they are the input
    std::uint64_t memory_bytes = 0;
    std::vector<std::filesystem::path> outputs; ///< absolute, at least one, of equal parts
    /// What comes before the first record of an output with so many; empty: nothing.
    std::function<std::string(std::uint64_t record_count)> header;
    std::filesystem::path scratch; ///< a folder
    RangeStorage range_storage = RangeStorage::scratch;
    Existing existing = Existing::keep;
    unsigned threads = 1;                         ///< that check and copy records, and sort them
    std::shared_ptr<RangeEngine> engine;          ///< not null
    std::optional<std::uint64_t> gpu_records_max; ///< of a range; nullopt: the engine is cores
    std::uint32_t rank = 0;                       ///< of those that sort together
    std::uint32_t rank_count = 1;

    [[nodiscard]] std::uint64_t record_count() const;
    /// Some input can only be read from front to back, so that a first reading counts and samples.
    [[nodiscard]] bool is_streamed() const;
    [[nodiscard]] std::filesystem::path manifest() const { return own_file("manifest", ".json"); }
    [[nodiscard]] std::filesystem::path lock() const { return own_file("lock", ""); }
    /// In the scratch, which may be one folder of all ranks: "manifest.json", "manifest-3.json".
    [[nodiscard]] std::filesystem::path own_file(char const* name, char const* extension) const {
        return scratch / (name + (rank == 0 ? "" : '-' + std::to_string(rank)) + extension);
    }
    /// Of a range; the first input of the range that is the input.
    [[nodiscard]] std::filesystem::path run(std::uint64_t id) const {
        return id == 0 ? std::filesystem::path(inputs.front().identity.path)
                       : scratch / (std::to_string(id) + ".run");
    }
    /// An output until it is complete, in the same folder. Sorts with other scratch folders have
    /// other names.
    [[nodiscard]] std::filesystem::path partial(std::size_t output) const;
};

/// What has to be the same for a sort to go on, and on all ranks of one.
[[nodiscard]] std::string job_text(ExternalJob const& job);

/// Records with images of an interval, in order of arrival, in a file of their own.
struct RangeState {
    std::uint64_t id = 0; ///< of its run; 0 is the input
    model::ImageInterval images;
    std::uint64_t count = 0;
    std::optional<MultisetDigest> digest; ///< nullopt: not read yet
    bool is_placed = false;               ///< it is in the output, and its run may be removed
    std::optional<std::uint64_t> parent;  ///< that was divided; nullopt for the input
    std::uint64_t place = 0;              ///< index in the output, once it is placed
    MultisetDigest written;               ///< of what is there
    std::uint32_t owner = 0;              ///< rank that has its run

    [[nodiscard]] KeyRangeRecord record() const;
};

/// A range that is divided at present.
struct SplitState {
    std::size_t index = 0;            ///< of the range
    std::uint64_t consumed = 0;       ///< its records that are in the children
    std::vector<RangeState> children; ///< runs may be longer: what follows is not complete
};

struct Manifest {
    std::vector<std::uint64_t> input_counts;  ///< records of each input
    std::vector<std::uint64_t> output_inodes; ///< of the outputs; empty before they are made
    std::vector<RangeState> ranges;           ///< ascending; together they hold every image
    std::optional<SplitState> split;
    std::uint64_t next_id = 1;
    std::uint64_t oversized_records = 0; ///< read and written once more than others
    std::vector<TraceRecord> records;    ///< of divisions, and of ranges that are no more

    /// What a job begins with: all records in one range.
    [[nodiscard]] static Manifest first(ExternalJob const& job);
    /// \return nullopt if there is none; an error for one that is of another job, or damaged
    [[nodiscard]] static Expected<std::optional<Manifest>> load(ExternalJob const& job);
    /// As it lies in the file.
    [[nodiscard]] std::string text(ExternalJob const& job) const;
    [[nodiscard]] static Expected<Manifest> parse(ExternalJob const& job, std::string const& text);
    /// Limits of an interrupted sort; nullopt if there is none, or they are not legible.
    [[nodiscard]] static std::optional<std::uint64_t> memory_bytes(ExternalJob const& job);
    [[nodiscard]] static std::optional<std::uint64_t> gpu_records_max(ExternalJob const& job);
    /// Whether an output that exists is one that the interrupted sort has completed.
    [[nodiscard]] static bool has_completed(ExternalJob const& job, std::size_t output);
    [[nodiscard]] Expected<void> save(ExternalJob const& job, Storage& storage) const;
};

} // namespace keyswap::tools
