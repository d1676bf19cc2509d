#pragma once

/// \file What is complete of an external sort: written whole, under a temporary name first, each
/// time that more is on the disk. Whatever is not in it did not happen.

#include "model/external/record_layout.hpp"
#include "model/keys/refined_bucket.hpp"
#include "tools/external/storage.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Records of one file, in a row.
struct ExternalInput {
    FileIdentity identity;      ///< of the file that the user named
    std::filesystem::path path; ///< where its records lie: itself, or a copy in the scratch
    std::uint64_t offset = 0;   ///< of the first record, in bytes
    std::uint64_t record_count = 0;
};

/// What is sorted into what: an interrupted sort goes on only for the same.
struct ExternalJob {
    model::RecordLayout layout;
    std::string program;               ///< version and commit
    std::vector<ExternalInput> inputs; ///< at least one; together they are the input
    std::uint64_t record_count = 0;    ///< of all
    std::uint64_t memory_bytes = 0;
    std::filesystem::path output;  ///< absolute
    std::string output_header;     ///< bytes before the first record
    std::filesystem::path scratch; ///< a folder
    Existing existing = Existing::keep;
    unsigned threads = 1;

    [[nodiscard]] std::filesystem::path manifest() const { return scratch / "manifest.json"; }
    /// Of a range; the first input of the range that is the input.
    [[nodiscard]] std::filesystem::path run(std::uint64_t id) const {
        return id == 0 ? inputs.front().path : scratch / (std::to_string(id) + ".run");
    }
    /// The output until it is complete, in the same folder.
    [[nodiscard]] std::filesystem::path partial() const { return output.string() + ".keyswap"; }
};

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

    [[nodiscard]] KeyRangeRecord record() const;
};

/// A range that is divided at present.
struct SplitState {
    std::size_t index = 0;            ///< of the range
    std::uint64_t consumed = 0;       ///< its records that are in the children
    std::vector<RangeState> children; ///< runs may be longer: what follows is not complete
};

struct Manifest {
    std::vector<RangeState> ranges; ///< ascending; together they hold every image
    std::optional<SplitState> split;
    std::uint64_t next_id = 1;
    std::uint64_t oversized_records = 0; ///< read and written once more than others
    std::vector<TraceRecord> records;    ///< of divisions, and of ranges that are no more

    /// What a job begins with: all records in one range.
    [[nodiscard]] static Manifest first(ExternalJob const& job);
    /// \return nullopt if there is none; an error for one that is of another job, or damaged
    [[nodiscard]] static Expected<std::optional<Manifest>> load(ExternalJob const& job);
    /// Memory of an interrupted sort; nullopt if there is none, or that is not legible.
    [[nodiscard]] static std::optional<std::uint64_t> memory_bytes(ExternalJob const& job);
    [[nodiscard]] Expected<void> save(ExternalJob const& job, Storage& storage) const;
};

} // namespace keyswap::tools
