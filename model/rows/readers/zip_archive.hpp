#pragma once

/// \file Reads zip archives written by numpy.savez and numpy.savez_compressed. Source: PKWARE,
/// "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A member as listed in the central directory.
struct ZipMember {
    std::string name;
    std::string_view stored; ///< view of its (compressed) bytes in the archive
    bool deflated = false;
    std::uint64_t size_bytes = 0; ///< unpacked
    std::uint32_t crc = 0;        ///< of the unpacked bytes
};

/// All members, in the order of the central directory. Supports stored and deflated members of
/// single-file, unencrypted archives, including ZIP64.
/// \param archive the whole file; must outlive the members, which are views of it
/// \param name subject of errors
[[nodiscard]] Expected<std::vector<ZipMember>> zip_members(std::string_view archive,
                                                           std::string const& name);

/// A member's bytes, with verified checksum.
struct UnpackedMember {
    std::string_view bytes;
    std::shared_ptr<std::string const> owner = nullptr; ///< set for deflated members
};
/// Unpacks and verifies a member. \param name archive, as the subject of errors
[[nodiscard]] Expected<UnpackedMember> unpack(ZipMember const& member, std::string const& name);

} // namespace keyswap::model
