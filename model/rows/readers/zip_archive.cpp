#include "model/rows/readers/zip_archive.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/little_endian.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::string_view local_mark = "PK\x03\x04";
constexpr std::string_view entry_mark = "PK\x01\x02";
constexpr std::string_view end_mark = "PK\x05\x06";
constexpr std::string_view wide_end_mark = "PK\x06\x06";
constexpr std::string_view wide_locator_mark = "PK\x06\x07";
constexpr std::size_t local_bytes = 30;
constexpr std::size_t entry_bytes = 46;
constexpr std::size_t end_bytes = 22;
constexpr std::size_t wide_end_bytes = 56;
constexpr std::size_t wide_locator_bytes = 20;
constexpr std::size_t comment_max = 65'535;
constexpr std::uint64_t in_wide_form = 0xffff'ffff; ///< the real value is in the ZIP64 field
constexpr std::uint64_t deflate_factor_max = 1032;  ///< maximum expansion of deflate

tl::unexpected<InputError> damaged(std::string const& name, std::string problem) {
    return input_error(
        name, std::move(problem), "copy it again, or save it again with numpy.savez");
}

/// A range of bytes at an offset read from the file; nullopt if it exceeds the archive.
std::optional<std::string_view>
part_of(std::string_view bytes, std::uint64_t at, std::uint64_t size) {
    return at <= bytes.size() && size <= bytes.size() - at ? std::optional(bytes.substr(at, size))
                                                           : std::nullopt;
}

/// Location of the central directory.
struct Directory {
    std::uint64_t entries = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t at = 0;
};

std::optional<Directory> find_directory(std::string_view archive) {
    std::size_t const searched = std::min(archive.size(), end_bytes + comment_max);
    std::string_view const tail = archive.substr(archive.size() - searched);
    for (std::size_t at = tail.rfind(end_mark); at != std::string_view::npos;
         at = at == 0 ? std::string_view::npos : tail.rfind(end_mark, at - 1)) {
        if (tail.size() - at < end_bytes ||
            little_endian(tail, at + 20, 2) != tail.size() - at - end_bytes) {
            continue; // false match inside a comment or an array
        }
        std::uint64_t const end_at = archive.size() - searched + at;
        auto const locator =
            end_at < wide_locator_bytes
                ? std::nullopt
                : part_of(archive, end_at - wide_locator_bytes, wide_locator_bytes);
        if (!locator || !locator->starts_with(wide_locator_mark)) {
            return Directory{little_endian(tail, at + 10, 2),
                             little_endian(tail, at + 12, 4),
                             little_endian(tail, at + 16, 4)};
        }
        auto const wide = part_of(archive, little_endian(*locator, 8, 8), wide_end_bytes);
        if (!wide || !wide->starts_with(wide_end_mark)) {
            return std::nullopt;
        }
        return Directory{
            little_endian(*wide, 32, 8), little_endian(*wide, 40, 8), little_endian(*wide, 48, 8)};
    }
    return std::nullopt;
}

/// Sizes and offset of an entry; those that exceed 32 bits are in its ZIP64 field.
struct Extents {
    std::uint64_t size_bytes;
    std::uint64_t stored_bytes;
    std::uint64_t at;
};

std::optional<Extents> extents_of(std::string_view entry, std::string_view fields) {
    Extents extents{
        little_endian(entry, 24, 4), little_endian(entry, 20, 4), little_endian(entry, 42, 4)};
    constexpr std::uint64_t wide_field = 1;
    std::string_view wide;
    while (fields.size() >= 4) {
        auto const content = part_of(fields, 4, little_endian(fields, 2, 2));
        if (!content) {
            return std::nullopt;
        }
        wide = little_endian(fields, 0, 2) == wide_field ? *content : wide;
        fields.remove_prefix(4 + content->size());
    }
    for (std::uint64_t* const value : {&extents.size_bytes, &extents.stored_bytes, &extents.at}) {
        if (*value == in_wide_form) {
            if (wide.size() < 8) {
                return std::nullopt;
            }
            *value = little_endian(wide, 0, 8);
            wide.remove_prefix(8);
        }
    }
    return extents;
}

/// Inflates to exactly the size that the member claims; an error if it is larger or smaller.
bool inflate_all(std::string_view stored, std::string& unpacked) {
    z_stream stream{};
    KEYSWAP_ENSURES(inflateInit2(&stream, -MAX_WBITS) == Z_OK); // raw deflate, without header
    std::size_t read = 0;
    std::size_t written = 0;
    constexpr std::size_t step_max = std::size_t{1} << 30; // zlib counts in 32 bits
    int state = Z_OK;
    while (state == Z_OK) {
        std::size_t const in = std::min(step_max, stored.size() - read);
        std::size_t const out = std::min(step_max, unpacked.size() - written);
        // zlib does not write through this pointer.
        stream.next_in = const_cast<Bytef*>(
            reinterpret_cast<Bytef const*>(stored.data() + read)); // NOLINT(*-const-cast)
        stream.avail_in = static_cast<uInt>(in);
        stream.next_out = reinterpret_cast<Bytef*>(unpacked.data() + written);
        stream.avail_out = static_cast<uInt>(out);
        state = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
    }
    inflateEnd(&stream);
    return state == Z_STREAM_END && written == unpacked.size();
}

} // namespace

Expected<std::vector<ZipMember>> zip_members(std::string_view archive, std::string const& name) {
    auto const directory = find_directory(archive);
    auto const entries =
        directory ? part_of(archive, directory->at, directory->size_bytes) : std::nullopt;
    if (!entries) {
        return damaged(name, "is not a complete zip archive: its directory is missing");
    }
    std::vector<ZipMember> members;
    std::string_view rest = *entries;
    for (std::uint64_t i = 0; i < directory->entries; ++i) {
        auto const malformed = [&] {
            return damaged(
                name, "has a zip directory that is damaged at member " + std::to_string(i + 1));
        };
        if (rest.size() < entry_bytes || !rest.starts_with(entry_mark)) {
            return malformed();
        }
        std::string_view const entry = rest.substr(0, entry_bytes);
        std::uint64_t const name_bytes = little_endian(entry, 28, 2);
        std::uint64_t const field_bytes = little_endian(entry, 30, 2);
        std::uint64_t const all_bytes =
            entry_bytes + name_bytes + field_bytes + little_endian(entry, 32, 2);
        if (all_bytes > rest.size()) {
            return malformed();
        }
        auto const extents = extents_of(entry, rest.substr(entry_bytes + name_bytes, field_bytes));
        auto const local = extents ? part_of(archive, extents->at, local_bytes) : std::nullopt;
        if (!local || !local->starts_with(local_mark)) {
            return malformed();
        }
        auto const stored = part_of(archive,
                                    extents->at + local_bytes + little_endian(*local, 26, 2) +
                                        little_endian(*local, 28, 2),
                                    extents->stored_bytes);
        if (!stored) {
            return malformed();
        }
        ZipMember member{std::string(rest.substr(entry_bytes, name_bytes)), *stored};
        std::uint64_t const method = little_endian(entry, 10, 2);
        bool const encrypted = (little_endian(entry, 8, 2) & 1U) != 0;
        if (encrypted || (method != 0 && method != Z_DEFLATED)) {
            return input_error(
                name,
                "has a member '" + printable_text(member.name) + "' that is " +
                    (encrypted ? "encrypted" : "packed by method " + std::to_string(method)),
                "save it again with numpy.savez or numpy.savez_compressed");
        }
        member.deflated = method == Z_DEFLATED;
        member.size_bytes = extents->size_bytes;
        member.crc = static_cast<std::uint32_t>(little_endian(entry, 16, 4));
        members.push_back(std::move(member));
        rest.remove_prefix(all_bytes);
    }
    return members;
}

Expected<UnpackedMember> unpack(ZipMember const& member, std::string const& name) {
    auto const wrong = [&](std::string const& problem) {
        return damaged(name, "has a member '" + printable_text(member.name) + "' " + problem);
    };
    UnpackedMember unpacked{member.stored};
    if (member.deflated) {
        if (member.size_bytes / deflate_factor_max > member.stored.size()) {
            return wrong("that claims more bytes than its packed ones can hold");
        }
        if (member.size_bytes > limit_of(Limit::memory)) {
            return tl::unexpected(beyond_limit(Limit::memory,
                                               name,
                                               "has a member '" + printable_text(member.name) +
                                                   "' of " + std::to_string(member.size_bytes) +
                                                   " bytes"));
        }
        auto const bytes = std::make_shared<std::string>(member.size_bytes, '\0');
        if (!inflate_all(member.stored, *bytes)) {
            return wrong("that cannot be unpacked");
        }
        unpacked = {*bytes, bytes};
    } else if (member.stored.size() != member.size_bytes) {
        return wrong("of two sizes");
    }
    auto const* const data = reinterpret_cast<Bytef const*>(unpacked.bytes.data());
    if (crc32_z(crc32(0, nullptr, 0), data, unpacked.bytes.size()) != member.crc) {
        return wrong("with a wrong checksum");
    }
    return unpacked;
}

} // namespace keyswap::model
