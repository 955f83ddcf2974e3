package actors

import "github.com/troupedb/troupe/session"

// known is a command that a typed method runs, whose row of the catalogue is
// looked up once.
type known uint8

// The commands of the typed methods.
const (
	kAppend known = iota
	kBLPop
	kBRPop
	kDecrBy
	kDel
	kExists
	kGet
	kHDel
	kHExists
	kHGet
	kHGetAll
	kHIncrBy
	kHKeys
	kHLen
	kHSet
	kHVals
	kIncrBy
	kIncrByFloat
	kLIndex
	kLLen
	kLPop
	kLPush
	kLRange
	kLRem
	kLTrim
	kMGet
	kMSet
	kPersist
	kPExpire
	kPExpireAt
	kPTTL
	kRename
	kRPop
	kRPush
	kSAdd
	kSCard
	kSDiff
	kSet
	kSInter
	kSIsMember
	kSMembers
	kSPop
	kSRem
	kStrLen
	kSUnion
	kType
	kXAdd
	kXDel
	kXLen
	kXRange
	kXRevRange
	kZAdd
	kZCard
	kZCount
	kZIncrBy
	kZPopMin
	kZRange
	kZRank
	kZRem
	kZRevRank
	kZScore
	kCount
)

var knownNames = [kCount]string{
	kAppend: "APPEND", kBLPop: "BLPOP", kBRPop: "BRPOP", kDecrBy: "DECRBY", kDel: "DEL", kExists: "EXISTS",
	kGet: "GET", kHDel: "HDEL", kHExists: "HEXISTS", kHGet: "HGET", kHGetAll: "HGETALL", kHIncrBy: "HINCRBY",
	kHKeys: "HKEYS", kHLen: "HLEN", kHSet: "HSET", kHVals: "HVALS", kIncrBy: "INCRBY",
	kIncrByFloat: "INCRBYFLOAT", kLIndex: "LINDEX", kLLen: "LLEN", kLPop: "LPOP",
	kLPush: "LPUSH", kLRange: "LRANGE", kLRem: "LREM", kLTrim: "LTRIM", kMGet: "MGET", kMSet: "MSET",
	kPersist: "PERSIST", kPExpire: "PEXPIRE", kPExpireAt: "PEXPIREAT", kPTTL: "PTTL", kRename: "RENAME",
	kRPop: "RPOP", kRPush: "RPUSH", kSAdd: "SADD", kSCard: "SCARD", kSDiff: "SDIFF", kSet: "SET",
	kSInter: "SINTER", kSIsMember: "SISMEMBER", kSMembers: "SMEMBERS", kSPop: "SPOP", kSRem: "SREM",
	kStrLen: "STRLEN", kSUnion: "SUNION", kType: "TYPE", kXAdd: "XADD", kXDel: "XDEL", kXLen: "XLEN",
	kXRange: "XRANGE", kXRevRange: "XREVRANGE", kZAdd: "ZADD", kZCard: "ZCARD", kZCount: "ZCOUNT",
	kZIncrBy: "ZINCRBY", kZPopMin: "ZPOPMIN", kZRange: "ZRANGE", kZRank: "ZRANK", kZRem: "ZREM",
	kZRevRank: "ZREVRANK", kZScore: "ZSCORE",
}

// rowTable is the rows of the known commands; nil of one that was renamed away,
// whose method says so.
type rowTable [kCount]*session.Command

func (t *rowTable) find(c *session.Catalogue) {
	for k, name := range knownNames {
		t[k] = c.Lookup([][]byte{[]byte(name)})
	}
}
