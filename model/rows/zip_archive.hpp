#pragma once

/// \file Members of zip archives, as numpy.savez and numpy.savez_compressed write them. Source:
/// PKWARE, "APPNOTE.TXT - .ZIP File Format Specification", version 6.3.

#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// A member as the central directory has it.
struct ZipMember {
    std::string name;
    std::string_view stored; ///< bytes of the archive
    bool deflated = false;
    std::uint64_t size_bytes = 0; ///< unpacked
    std::uint32_t crc = 0;        ///< of the unpacked bytes
};

/// All members, in the order of the central directory. Only members that are stored or deflated,
/// unencrypted, in one file are read; those in ZIP64 form too.
/// \param archive the whole file, which the members' bytes are views of
/// \param name what errors are about
[[nodiscard]] Expected<std::vector<ZipMember>> zip_members(std::string_view archive,
                                                           std::string const& name);

/// A member's bytes, whose checksum is right.
struct UnpackedMember {
    std::string_view bytes;
    std::shared_ptr<std::string const> owner = nullptr; ///< of deflated members; others are views
};
/// \param name the archive, which errors are about
[[nodiscard]] Expected<UnpackedMember> unpack(ZipMember const& member, std::string const& name);

} // namespace keyswap::model
