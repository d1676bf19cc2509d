#pragma once

/// \file Progress of an external sort on disk: written whole to a temporary file and renamed, after
/// each sync of data. An interrupted sort discards all work that its manifest does not list.

#include "model/external/record_layout.hpp"
#include "model/external/record_stream.hpp"
#include "model/keys/refined_bucket.hpp"
#include "tools/external/arrays/range_engine.hpp"
#include "tools/external/files/storage.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Consecutive records of one file.
struct ExternalInput {
    FileIdentity identity;          ///< of the file named by the user
    std::uint64_t offset = 0;       ///< of the first record, in bytes
    std::uint64_t record_count = 0; ///< of a stream: unknown before its first read
    /// Opens an input as a stream of records, to read it sequentially; empty for seekable files.
    std::function<Expected<std::unique_ptr<model::RecordStream>>()> open_stream;
};

/// Where ranges are kept until they are sorted.
enum class RangeStorage {
    scratch, ///< in files; an interrupted sort can continue
    memory   ///< in arrays; the scratch folder holds no records
};

/// Inputs, outputs and limits of a sort. Only an equal job continues an interrupted one.
struct ExternalJob {
    model::RecordLayout layout;
    std::string program;               ///< version and commit
    std::vector<ExternalInput> inputs; ///< at least one, read one after the other
    std::uint64_t memory_bytes = 0;
    std::vector<std::filesystem::path> outputs; ///< absolute paths, at least one, equal shares
    /// Header of an output with so many records; empty function: no header.
    std::function<std::string(std::uint64_t record_count)> header;
    std::filesystem::path scratch; ///< folder
    RangeStorage range_storage = RangeStorage::scratch;
    Existing existing = Existing::keep;
    unsigned threads = 1;                         ///< to check, copy and sort records
    std::shared_ptr<RangeEngine> engine;          ///< not null
    std::optional<std::uint64_t> gpu_records_max; ///< per range; nullopt: a CPU engine
    std::uint32_t rank = 0;                       ///< of this process
    std::uint32_t rank_count = 1;

    [[nodiscard]] std::uint64_t record_count() const;
    /// True if an input can only be read sequentially: a first pass then counts and samples it.
    [[nodiscard]] bool is_streamed() const;
    [[nodiscard]] std::filesystem::path manifest() const { return own_file("manifest", ".json"); }
    [[nodiscard]] std::filesystem::path lock() const { return own_file("lock", ""); }
    /// Path in `scratch`, which all ranks may share: "manifest.json" of rank 0, "manifest-3.json".
    [[nodiscard]] std::filesystem::path own_file(char const* name, char const* extension) const {
        return scratch / (name + (rank == 0 ? "" : '-' + std::to_string(rank)) + extension);
    }
    /// Run file of a range; for id 0, the input, the first input file.
    [[nodiscard]] std::filesystem::path run(std::uint64_t id) const {
        return id == 0 ? std::filesystem::path(inputs.front().identity.path)
                       : scratch / (std::to_string(id) + ".run");
    }
    /// Temporary name of an output until it is complete, in the same folder. Derived from the
    /// scratch folder, so concurrent sorts with other scratch folders do not collide.
    [[nodiscard]] std::filesystem::path partial(std::size_t output) const;
};

/// Canonical text of a job, equal for a sort that can continue and on all its ranks.
[[nodiscard]] std::string job_text(ExternalJob const& job);

/// A range: all records whose images are in an interval, in input order, in one run file.
struct RangeState {
    std::uint64_t id = 0; ///< of the run file; 0: the input
    model::ImageInterval images;
    std::uint64_t count = 0;
    std::optional<MultisetDigest> digest; ///< nullopt: not computed yet
    bool is_placed = false;               ///< complete in the output; the run file may be removed
    std::optional<std::uint64_t> parent;  ///< id of the divided range; nullopt for the input
    std::uint64_t place = 0;              ///< record index in the output, once placed
    MultisetDigest written;               ///< of the records in the output
    std::uint32_t owner = 0;              ///< rank that holds the run file

    [[nodiscard]] KeyRangeRecord record() const;
};

/// A division in progress.
struct SplitState {
    std::size_t index = 0;            ///< of the divided range
    std::uint64_t consumed = 0;       ///< records distributed to the children so far
    std::vector<RangeState> children; ///< bytes of a run beyond `count` are incomplete
};

struct Manifest {
    std::vector<std::uint64_t> input_counts;  ///< records of each input
    std::vector<std::uint64_t> output_inodes; ///< empty before the outputs are created
    std::vector<RangeState> ranges;           ///< ascending; together they cover all images
    std::optional<SplitState> split;
    std::uint64_t next_id = 1;
    std::uint64_t oversized_records = 0; ///< read and written one extra time
    std::vector<TraceRecord> records;    ///< of divisions and of divided ranges

    /// Initial manifest of a job: one range with all records.
    [[nodiscard]] static Manifest first(ExternalJob const& job);
    /// \return nullopt if there is none; an error if it is damaged or belongs to another job
    [[nodiscard]] static Expected<std::optional<Manifest>> load(ExternalJob const& job);
    /// Content of the manifest file.
    [[nodiscard]] std::string text(ExternalJob const& job) const;
    [[nodiscard]] static Expected<Manifest> parse(ExternalJob const& job, std::string const& text);
    /// Limits of an interrupted sort; nullopt if there is none or its manifest is unreadable.
    [[nodiscard]] static std::optional<std::uint64_t> memory_bytes(ExternalJob const& job);
    [[nodiscard]] static std::optional<std::uint64_t> gpu_records_max(ExternalJob const& job);
    /// True if an existing output file was completed by the interrupted sort.
    [[nodiscard]] static bool has_completed(ExternalJob const& job, std::size_t output);
    [[nodiscard]] Expected<void> save(ExternalJob const& job, Storage& storage) const;
};

} // namespace keyswap::tools
