// Archives built here, intact and damaged.
#include "halo/base/io/tar.h"

#include <cstdio>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace halo {
namespace {

std::string Header(const std::string& name, char type, uint64_t size) {
  std::string header(512, '\0');
  std::memcpy(header.data(), name.data(), std::min<size_t>(name.size(), 100));
  std::snprintf(header.data() + 124, 12, "%011llo", static_cast<unsigned long long>(size));
  header[156] = type;
  std::memcpy(header.data() + 257, "ustar", 5);
  std::memset(header.data() + 148, ' ', 8);
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  std::snprintf(header.data() + 148, 8, "%06o", sum);
  return header;
}

std::string Member(const std::string& name, char type, const std::string& body) {
  std::string member = Header(name, type, body.size()) + body;
  member.resize((member.size() + 511) / 512 * 512);
  return member;
}

const std::string kEnd(1024, '\0');

std::vector<std::string> Names(const TarListing& listing) {
  std::vector<std::string> names;
  for (const TarMember& member : listing.members) names.push_back(member.name);
  return names;
}

TEST(Tar, ListsRegularFiles) {
  const std::string bytes = Member("./dump/", '5', "") + Member("./dump/a.txt", '0', "hello") +
                            Member("b", '0', std::string(513, 'x')) + kEnd;
  ASSERT_TRUE(LooksLikeTar(bytes));
  const TarListing listing = ListTar(bytes);
  EXPECT_THAT(Names(listing), testing::ElementsAre("dump/a.txt", "b"));
  EXPECT_EQ(listing.skipped, 1u);
  EXPECT_EQ(bytes.substr(listing.members[0].offset, listing.members[0].size), "hello");
  EXPECT_EQ(listing.members[1].size, 513u);
  EXPECT_EQ(listing.problem, "");
}

TEST(Tar, LongNames) {
  const std::string name = "dump/" + std::string(200, 'n') + ".txt";
  const std::string record = "path=" + name + "\n";
  const std::string pax = std::to_string(record.size() + 4) + " " + record;
  const std::string bytes = Member("././@LongLink", 'L', name + '\0') + Member("short", '0', "1") +
                            Member("PaxHeaders/x", 'x', pax) + Member("short", '0', "2") +
                            Member("last", '0', "3") + kEnd;
  EXPECT_THAT(Names(ListTar(bytes)), testing::ElementsAre(name, name, "last"));
}

TEST(Tar, NamesThatLeadElsewhereAreSkipped) {
  const std::string bytes = Member("../x", '0', "1") + Member("a/../../x", '0', "1") +
                            Member("/etc/x", '0', "1") + Member("link", '2', "") + kEnd;
  const TarListing listing = ListTar(bytes);
  EXPECT_THAT(Names(listing), testing::ElementsAre("etc/x"));
  EXPECT_EQ(listing.skipped, 3u);
}

TEST(Tar, DamageEndsTheList) {
  std::string bytes = Member("a", '0', "1") + Member("b", '0', "2") + kEnd;
  bytes[1024 + 5] = 'x';
  EXPECT_THAT(Names(ListTar(bytes)), testing::ElementsAre("a"));
  EXPECT_EQ(ListTar(bytes).problem, "a header is damaged");
  const std::string claims = Header("huge", '0', uint64_t{1} << 32);
  EXPECT_EQ(ListTar(claims).problem, "the archive is truncated");
  EXPECT_FALSE(LooksLikeTar("BufferAssignment:"));
}

}  // namespace
}  // namespace halo
